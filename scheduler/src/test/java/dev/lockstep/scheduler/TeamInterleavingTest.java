package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The exact order in which a team of three runs. The S-thread that completes a list leads the team, because it is
 * mounted already: of members 0, 1 and 2, which arrive in this order, member 2 has the first turn, then 0, then 1.
 */
class TeamInterleavingTest {
    private final StringBuilder order = new StringBuilder();

    private void note(String step) {
        order.append(step).append(' ');
    }

    /** One operation of three steps with switch points between them. */
    private void threeSteps(int fetch, String member) {
        SThread self = SThread.current();
        self.beginOperation(fetch);
        note(member + 1);
        self.switchPoint();
        note(member + 2);
        self.switchPoint();
        note(member + 3);
        self.endOperation();
    }

    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void membersTakeTurns(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            Fixtures.runTogether(
                    scheduler,
                    List.of(() -> threeSteps(fetch, "a"), () -> threeSteps(fetch, "b"), () -> threeSteps(fetch, "c")));
            assertEquals("c1 a1 b1 c2 a2 b2 c3 a3 b3 ", order.toString());
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(1, statistics.teams());
            assertEquals(3, statistics.membersIn());
            assertEquals(3, statistics.membersOut());
            assertEquals(6, statistics.switches());
            assertEquals(0, statistics.switchesSkipped());
            assertEquals(Map.of(), statistics.strays());
        }
    }

    /** As many turns as above, none of them inside an operation. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void serialMembersTakeTheirTurnsBehindTheOperation(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamExecution(TeamExecution.SERIAL))) {
            int fetch = scheduler.registerOperation("fetch");
            Fixtures.runTogether(
                    scheduler,
                    List.of(() -> threeSteps(fetch, "a"), () -> threeSteps(fetch, "b"), () -> threeSteps(fetch, "c")));
            assertEquals("c1 c2 c3 a1 a2 a3 b1 b2 b3 ", order.toString());
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(1, statistics.teams());
            assertEquals(3, statistics.membersOut());
            assertEquals(6, statistics.switches());
            assertEquals(0, statistics.switchesSkipped());
        }
    }

    /**
     * All end the operation before the first goes on with what is its own, and all do that before the next operation.
     */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void membersApartTakeATurnBehindTheOperation(SThreadKind kind) throws InterruptedException {
        SchedulerOptions apart =
                Fixtures.exact(kind).withTeamExecution(TeamExecution.APART).withSwitchPointsOn(false);
        try (Scheduler scheduler = new Scheduler(apart)) {
            int fetch = scheduler.registerOperation("fetch");
            int update = scheduler.registerOperation("update");
            List<Runnable> members = new ArrayList<>();
            for (String member : List.of("a", "b", "c")) {
                members.add(() -> {
                    threeSteps(fetch, member);
                    note(member + "4");
                    threeSteps(update, member);
                    note(member + "5");
                });
            }
            Fixtures.runTogether(scheduler, members);
            assertEquals("c1 c2 c3 a1 a2 a3 b1 b2 b3 c4 a4 b4 b1 b2 b3 c1 c2 c3 a1 a2 a3 b5 c5 a5 ", order.toString());
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(1, statistics.teams());
            assertEquals(3, statistics.membersOut());
            assertEquals(3, statistics.switches());
        }
    }

    /** The next operation ends the one before; who strays or holds a latch has no turns left to take. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void serialMembersTakeNoTurnsAsStraysOrWithALatch(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamExecution(TeamExecution.SERIAL))) {
            int fetch = scheduler.registerOperation("fetch");
            int update = scheduler.registerOperation("update");
            Runnable strays = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("s1");
                self.switchPoint();
                self.yieldTurn();
                note("s2");
                self.endOperation();
            };
            Runnable latched = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                self.latchAcquired();
                self.switchPoint();
                note("l1");
                self.latchReleased();
                self.endOperation();
            };
            Fixtures.runTogether(scheduler, List.of(strays, latched, () -> twoOperations(fetch, update, "b")));
            assertEquals("b1 b2 s1 l1 bU s2 ", order.toString());
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(1, statistics.switchesSkipped());
            assertEquals(1, statistics.switches());
        }
    }

    /** Two operations: the team of the second forms from the members of the first, in the order they finish. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aTeamGoesOnWithWhatItsLastMemberWants(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            int update = scheduler.registerOperation("update");
            Fixtures.runTogether(
                    scheduler,
                    List.of(
                            () -> twoOperations(fetch, update, "a"),
                            () -> twoOperations(fetch, update, "b"),
                            () -> twoOperations(fetch, update, "c")));
            assertEquals("c1 a1 b1 c2 a2 b2 bU cU aU ", order.toString());
            assertEquals(3, Fixtures.statistics(scheduler, "update").membersInMean());
        }
    }

    private void twoOperations(int fetch, int update, String member) {
        SThread self = SThread.current();
        self.beginOperation(fetch);
        note(member + 1);
        self.switchPoint();
        note(member + 2);
        self.beginOperation(update);
        note(member + "U");
    }

    /** Member a finds nothing and ends after its first step; the others go on without it. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void anEarlyLeaverOnlyShrinksTheTeam(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            int update = scheduler.registerOperation("update");
            Runnable leaver = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("a1");
                self.beginOperation(update);
                note("aU");
                self.endOperation();
            };
            Fixtures.runTogether(
                    scheduler, List.of(leaver, () -> threeSteps(fetch, "b"), () -> threeSteps(fetch, "c")));
            assertEquals("c1 a1 b1 c2 b2 c3 b3 aU ", order.toString());
            assertEquals(3, Fixtures.statistics(scheduler, "fetch").membersOut());
        }
    }

    /**
     * Member a waits in its second step. It leaves the team, the next member runs on at once, and it continues after
     * the team has ended, without passing switch points, until its next operation.
     */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aStrayLeavesTheTeamAndRejoinsAtItsNextOperation(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            int update = scheduler.registerOperation("update");
            Waiter waiter = new Waiter();
            Runnable stray = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("a1");
                self.switchPoint();
                note("a2");
                waiter.prepare();
                assertEquals(Waiter.Outcome.SIGNALLED, waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
                note("a3");
                self.switchPoint();
                note("a4");
                self.beginOperation(update);
                note("aU");
                self.switchPoint();
                note("aV");
                self.endOperation();
            };
            Runnable granter = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("b1");
                self.switchPoint();
                note("b2");
                waiter.signal();
                self.switchPoint();
                note("b3");
                self.beginOperation(update);
                note("bU");
                self.switchPoint();
                note("bV");
                self.endOperation();
            };
            Fixtures.runTogether(scheduler, List.of(stray, granter, () -> threeSteps(fetch, "c")));
            assertEquals("c1 a1 b1 c2 a2 b2 c3 b3 a3 a4 aU bU aV bV ", order.toString());
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(3, statistics.membersIn());
            assertEquals(2, statistics.membersOut());
            assertEquals(Map.of(WaitReason.LOCK, 1L), statistics.strays());
            assertEquals(2, Fixtures.statistics(scheduler, "update").membersIn());
        }
    }

    /** Member a holds a latch at its first switch point, which it therefore skips. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aLatchHolderKeepsItsTurn(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            Runnable holder = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("a1");
                self.latchAcquired();
                self.switchPoint();
                note("a2");
                self.latchReleased();
                self.switchPoint();
                note("a3");
                self.endOperation();
            };
            Fixtures.runTogether(
                    scheduler, List.of(holder, () -> threeSteps(fetch, "b"), () -> threeSteps(fetch, "c")));
            assertEquals("c1 a1 a2 b1 c2 a3 b2 c3 b3 ", order.toString());
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(1, statistics.switchesSkipped());
            assertEquals(5, statistics.switches());
        }
    }

    /** Member a yields in the middle: it runs on after the team, and its stray is counted as a yield. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aYieldMakesAStray(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            Runnable yielding = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("a1");
                self.yieldTurn();
                note("a2");
                self.endOperation();
            };
            Fixtures.runTogether(
                    scheduler, List.of(yielding, () -> threeSteps(fetch, "b"), () -> threeSteps(fetch, "c")));
            assertEquals("c1 a1 b1 c2 b2 c3 b3 a2 ", order.toString());
            assertEquals(
                    Map.of(WaitReason.YIELD, 1L),
                    Fixtures.statistics(scheduler, "fetch").strays());
        }
    }

    /**
     * A task that is no S-thread comes in the first turn and goes before the successor of the first stray, a, but not
     * before members that have only taken turns. One that comes when nobody strays any more waits for the end of the
     * team, and for the strays.
     */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void tasksGoBeforeTheSuccessorOfAStray(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            CarrierThread carrier = scheduler.carrier(0);
            Waiter waiter = new Waiter();
            Runnable stray = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("a1");
                self.switchPoint();
                note("a2");
                waiter.prepare();
                assertEquals(Waiter.Outcome.SIGNALLED, waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
                note("a3");
                self.endOperation();
            };
            Runnable granter = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("b1");
                self.switchPoint();
                note("b2");
                waiter.signal();
                carrier.addForeignTask(() -> note("u"));
                self.switchPoint();
                note("b3");
                self.endOperation();
            };
            Runnable first = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("c1");
                carrier.addForeignTask(() -> {
                    note("t");
                    assertNull(carrier.running());
                });
                self.switchPoint();
                note("c2");
                self.switchPoint();
                note("c3");
                self.endOperation();
            };
            Fixtures.runTogether(scheduler, List.of(stray, granter, first));
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(1, statistics.teams());
            assertEquals(Map.of(WaitReason.LOCK, 1L), statistics.strays());
        }
        // When the carrier has ended, behind its last task.
        assertEquals("c1 a1 b1 c2 a2 t b2 c3 b3 a3 u ", order.toString());
    }

    /** With each stray those tasks go that have come by then; one that comes of a task waits for the next stray. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aTaskThatATaskAddsWaitsForTheNextStray(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            CarrierThread carrier = scheduler.carrier(0);
            List<Runnable> members = new ArrayList<>();
            for (String member : List.of("a", "b", "c")) {
                members.add(() -> {
                    SThread self = SThread.current();
                    self.beginOperation(fetch);
                    note(member + 1);
                    if (member.equals("c")) {
                        carrier.addForeignTask(() -> {
                            note("t");
                            carrier.addForeignTask(() -> note("u"));
                        });
                    }
                    self.yieldTurn();
                    note(member + 2);
                    self.endOperation();
                });
            }
            Fixtures.runTogether(scheduler, members);
            assertEquals("c1 t a1 u b1 c2 a2 b2 ", order.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aListLongerThanTheLimitGivesSeveralTeams(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamLimit(2))) {
            int fetch = scheduler.registerOperation("fetch");
            Fixtures.runTogether(
                    scheduler,
                    List.of(() -> threeSteps(fetch, "a"), () -> threeSteps(fetch, "b"), () -> threeSteps(fetch, "c")));
            assertEquals("a1 b1 a2 b2 a3 b3 c1 c2 c3 ", order.toString());
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(2, statistics.teams());
            assertEquals(1.5, statistics.membersInMean());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void withoutSwitchPointsMembersRunOneAfterAnother(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withSwitchPointsOn(false))) {
            int fetch = scheduler.registerOperation("fetch");
            Fixtures.runTogether(
                    scheduler,
                    List.of(() -> threeSteps(fetch, "a"), () -> threeSteps(fetch, "b"), () -> threeSteps(fetch, "c")));
            assertEquals("c1 c2 c3 a1 a2 a3 b1 b2 b3 ", order.toString());
            assertEquals(0, Fixtures.statistics(scheduler, "fetch").switches());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void withoutTeamsEachRunsStraightThrough(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.OFF))) {
            int fetch = scheduler.registerOperation("fetch");
            Fixtures.runTogether(
                    scheduler,
                    List.of(() -> threeSteps(fetch, "a"), () -> threeSteps(fetch, "b"), () -> threeSteps(fetch, "c")));
            assertEquals("a1 a2 a3 b1 b2 b3 c1 c2 c3 ", order.toString());
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(3, statistics.straightOperations());
            assertEquals(0, statistics.teams());
            assertTrue(statistics.nanos() > 0);
        }
    }

    /** A virtual S-thread that blocks in the JDK leaves its team as well; nothing waits for it. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL"})
    void blockingInTheJdkMakesAStray(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            CountDownLatch door = new CountDownLatch(1);
            Runnable blocking = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("a1");
                try {
                    door.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                note("a2");
                self.endOperation();
            };
            Runnable opening = () -> {
                threeSteps(fetch, "b");
                door.countDown();
            };
            Fixtures.runTogether(scheduler, List.of(blocking, opening, () -> threeSteps(fetch, "c")));
            assertEquals("c1 a1 b1 c2 b2 c3 b3 a2 ", order.toString());
            assertEquals(
                    Map.of(WaitReason.OTHER, 1L),
                    Fixtures.statistics(scheduler, "fetch").strays());
        }
    }
}
