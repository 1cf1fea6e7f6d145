package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Teams whose first member does the works of all. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StagedTeamsTest {
    private static final int MEMBERS = 5;
    private static final String OPERATION = "fetch";

    private static SchedulerOptions staged(SThreadKind kind) {
        return Fixtures.exact(kind).withTeamExecution(TeamExecution.STAGED);
    }

    /** A work of some stages, which notes who has done them. */
    private static final class Work implements StagedWork {
        private final int stages;
        private final Runnable beforeRun;
        private final AtomicInteger runs;
        private int stagesDone;
        private SThread doneBy;

        Work(int stages, AtomicInteger runs, Runnable beforeRun) {
            this.stages = stages;
            this.runs = runs;
            this.beforeRun = beforeRun;
        }

        @Override
        public void runTogether(StagedWork[] team, int count) {
            runs.incrementAndGet();
            assertSame(this, team[0]);
            beforeRun.run();
            boolean goesOn = true;
            while (goesOn) {
                goesOn = false;
                for (int i = 0; i < count; i++) {
                    goesOn |= ((Work) team[i]).step();
                }
            }
        }

        private boolean step() {
            if (stagesDone < stages) {
                stagesDone++;
                doneBy = SThread.current();
            }
            return stagesDone < stages;
        }
    }

    private static List<Runnable> bodies(int count, IntConsumer body) {
        List<Runnable> bodies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int member = i;
            bodies.add(() -> body.accept(member));
        }
        return bodies;
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void theFirstMemberDoesTheWorksOfAll(SThreadKind kind) throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        List<SThread> doneBy = new ArrayList<>();
        List<SThread> wentOn = new ArrayList<>();
        try (Scheduler scheduler = new Scheduler(staged(kind))) {
            int operation = scheduler.registerOperation(OPERATION);
            Fixtures.runTogether(scheduler, bodies(MEMBERS, member -> {
                Work work = new Work(member, runs, () -> {});
                SThread.current().beginOperation(operation, work);
                assertEquals(member, work.stagesDone);
                wentOn.add(SThread.current());
                if (member > 0) {
                    doneBy.add(work.doneBy);
                }
                assertTrue(SThread.current().isStaged(operation));
                SThread.current().endOperation();
            }));
            assertEquals(1, runs.get());
            assertEquals(MEMBERS, wentOn.size());
            for (SThread each : doneBy) {
                assertSame(wentOn.getFirst(), each);
            }
            OperationStatistics statistics = Fixtures.statistics(scheduler, OPERATION);
            assertEquals(1, statistics.teams());
            assertEquals(MEMBERS, statistics.membersIn());
            assertEquals(MEMBERS, statistics.membersOut());
            assertEquals(MEMBERS, statistics.membersStaged());
            assertEquals(0, statistics.switches());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aTeamIsNoLargerThanTheLimit(SThreadKind kind) throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        try (Scheduler scheduler = new Scheduler(staged(kind).withTeamLimit(2))) {
            int operation = scheduler.registerOperation(OPERATION);
            Fixtures.runTogether(scheduler, bodies(MEMBERS, member -> {
                Work work = new Work(1, runs, () -> {});
                SThread.current().beginOperation(operation, work);
                // The fifth is alone.
                work.step();
                assertEquals(1, work.stagesDone);
            }));
            assertEquals(2, runs.get());
            OperationStatistics statistics = Fixtures.statistics(scheduler, OPERATION);
            assertEquals(3, statistics.teams());
            assertEquals(4, statistics.membersStaged());
        }
    }

    /** Who has to wait does so by itself, and the others are not held up. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void whoHasToWaitLeavesAsAStray(SThreadKind kind) throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        List<Integer> order = new ArrayList<>();
        Waiter[] waiters = new Waiter[MEMBERS];
        try (Scheduler scheduler = new Scheduler(staged(kind))) {
            int operation = scheduler.registerOperation(OPERATION);
            Fixtures.runTogether(scheduler, bodies(MEMBERS, member -> {
                boolean waits = member == 1 || member == 2;
                Work work = new Work(1, runs, () -> {});
                SThread.current().beginOperation(operation, work);
                if (waits) {
                    waiters[member] = new Waiter();
                    waiters[member].prepare();
                    waiters[member].await(Waiter.NO_DEADLINE, WaitReason.LOCK);
                }
                order.add(member);
                SThread.current().endOperation();
                if (order.size() == MEMBERS - 2) {
                    waiters[2].signal();
                    waiters[1].signal();
                }
            }));
            assertEquals(1, runs.get());
            assertEquals(List.of(2, 1), order.subList(MEMBERS - 2, MEMBERS));
            OperationStatistics statistics = Fixtures.statistics(scheduler, OPERATION);
            assertEquals(MEMBERS, statistics.membersIn());
            assertEquals(MEMBERS - 2, statistics.membersOut());
            assertEquals(Map.of(WaitReason.LOCK, 2L), statistics.strays());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void whatTheLoopThrowsIsTheLeadersAlone(SThreadKind kind) throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        AtomicInteger doneAlone = new AtomicInteger();
        IllegalStateException failure = new IllegalStateException("expected");
        try (Scheduler scheduler = new Scheduler(staged(kind))) {
            int operation = scheduler.registerOperation(OPERATION);
            int next = scheduler.registerOperation("next");
            Fixtures.runTogether(scheduler, bodies(MEMBERS, member -> {
                Work work = new Work(1, runs, () -> {
                    throw failure;
                });
                try {
                    SThread.current().beginOperation(operation, work);
                    assertEquals(0, work.stagesDone);
                    doneAlone.incrementAndGet();
                } catch (IllegalStateException e) {
                    assertSame(failure, e);
                    failed.incrementAndGet();
                }
                Work after = new Work(1, runs, () -> {});
                SThread.current().beginOperation(next, after);
                assertEquals(1, after.stagesDone);
            }));
            assertEquals(1, failed.get());
            assertEquals(MEMBERS - 1, doneAlone.get());
            assertEquals(2, runs.get());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void membersWithoutAWorkTakeTurns(SThreadKind kind) throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        try (Scheduler scheduler = new Scheduler(staged(kind))) {
            int operation = scheduler.registerOperation(OPERATION);
            Fixtures.runTogether(scheduler, bodies(MEMBERS, member -> {
                SThread self = SThread.current();
                if (member % 2 == 0) {
                    self.beginOperation(operation);
                    self.switchPoint();
                } else {
                    Work work = new Work(2, runs, () -> {});
                    self.beginOperation(operation, work);
                    assertEquals(2, work.stagesDone);
                }
                self.endOperation();
            }));
            assertEquals(1, runs.get());
            OperationStatistics statistics = Fixtures.statistics(scheduler, OPERATION);
            assertEquals(1, statistics.teams());
            assertEquals(MEMBERS, statistics.membersOut());
            assertEquals(2, statistics.membersStaged());
            assertEquals(3, statistics.switches());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "VIRTUAL, ON, SWITCHING",
        "CONTINUATION, ON, SWITCHING",
        "VIRTUAL, OFF, STAGED",
        "CONTINUATION, OFF, STAGED"
    })
    void otherwiseEachDoesItsOwn(SThreadKind kind, TeamMode mode, TeamExecution execution) throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        SchedulerOptions options = Fixtures.exact(kind).withTeamMode(mode).withTeamExecution(execution);
        try (Scheduler scheduler = new Scheduler(options)) {
            int operation = scheduler.registerOperation(OPERATION);
            Fixtures.runTogether(scheduler, bodies(MEMBERS, member -> {
                SThread self = SThread.current();
                Work work = new Work(1, runs, () -> {});
                self.beginOperation(operation, work);
                assertEquals(0, work.stagesDone);
                assertFalse(self.isStaged(operation));
            }));
        }
        assertEquals(0, runs.get());
    }

    /** It should not be, but the JDK may block it, and a virtual thread sleeps where it waits long for a latch. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, true", "VIRTUAL, false", "CONTINUATION, false"})
    void followersOfASuspendedLeaderWaitForIt(SThreadKind kind, boolean parks) throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger others = new AtomicInteger();
        AtomicInteger wentOn = new AtomicInteger();
        try (Scheduler scheduler = new Scheduler(staged(kind))) {
            int operation = scheduler.registerOperation(OPERATION);
            int other = scheduler.registerOperation("other");
            Runnable suspends = () -> {
                // Ends because the others go on meanwhile, or with the limit of the test.
                while (others.get() < 2) {
                    if (parks) {
                        LockSupport.parkNanos(50_000);
                    } else {
                        SThread.current().yieldTurn();
                    }
                }
                assertEquals(0, wentOn.get());
            };
            List<Runnable> bodies = bodies(MEMBERS, member -> {
                Work work = new Work(3, runs, suspends);
                SThread.current().beginOperation(operation, work);
                assertEquals(3, work.stagesDone);
                wentOn.incrementAndGet();
                SThread.current().endOperation();
                SThread.current().beginOperation(operation, new Work(1, new AtomicInteger(), () -> {}));
            });
            // Their teams and lists go on while the leader is away, and lead to another loop.
            bodies.addAll(bodies(2, member -> {
                SThread.current().beginOperation(operation);
                Work work = new Work(3, new AtomicInteger(), () -> {});
                SThread.current().beginOperation(other, work);
                assertEquals(3, work.stagesDone);
                others.incrementAndGet();
            }));
            Fixtures.runTogether(scheduler, bodies);
            assertEquals(1, runs.get());
            assertEquals(MEMBERS, wentOn.get());
            for (OperationStatistics each : scheduler.statistics()) {
                assertEquals(each.membersIn(), each.membersOut() + each.straysTotal(), each.toString());
            }
            assertEquals(MEMBERS, Fixtures.statistics(scheduler, OPERATION).straysTotal());
        }
    }

    /** All that wait for a turn may be after what its followers hold. */
    @Test
    void aSuspendedLeaderGoesOnBeforeOthers() throws InterruptedException {
        SThread[] leader = new SThread[1];
        boolean[] wentOn = new boolean[1];
        List<SThread> hadTheirTurnFirst = new ArrayList<>();
        try (Scheduler scheduler = new Scheduler(staged(SThreadKind.VIRTUAL))) {
            int operation = scheduler.registerOperation(OPERATION);
            List<Runnable> bodies = bodies(MEMBERS, member -> {
                Work work = new Work(1, new AtomicInteger(), () -> {
                    leader[0] = SThread.current();
                    LockSupport.parkNanos(50_000);
                    wentOn[0] = true;
                });
                SThread.current().beginOperation(operation, work);
            });
            bodies.addAll(bodies(MEMBERS, other -> {
                while (!wentOn[0]) {
                    SThread.current().yieldTurn();
                    if (!wentOn[0] && leader[0] != null && leader[0].state == SThread.State.READY) {
                        hadTheirTurnFirst.add(SThread.current());
                    }
                }
            }));
            Fixtures.rethrow(Fixtures.runTogether(scheduler, () -> {}, bodies));
            assertEquals(List.of(), hadTheirTurnFirst);
        }
    }

    /**
     * Whatever happens in between, every stage of a work is done once, and nobody touches what another has in hands.
     */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, ON, 1", "VIRTUAL, GOVERNED, 2", "CONTINUATION, ON, 3", "CONTINUATION, GOVERNED, 4"})
    void everyStageIsDoneOnce(SThreadKind kind, TeamMode mode, long seed) throws InterruptedException {
        int sThreads = 40;
        SchedulerOptions options =
                staged(kind).withTeamMode(mode).withCarriers(2).withTeamLimit(7);
        String replay = "seed=" + seed;
        AtomicInteger worksLed = new AtomicInteger();
        try (Scheduler scheduler = new Scheduler(options)) {
            int[] operations = {scheduler.registerOperation("a"), scheduler.registerOperation("b")};
            List<SThread> started = new ArrayList<>();
            for (int i = 0; i < sThreads; i++) {
                Random random = new Random(seed * sThreads + i);
                started.add(scheduler.start("s" + i, -1, () -> {
                    for (int round = 0; round < 300; round++) {
                        int operation = operations[random.nextInt(operations.length)];
                        if (random.nextInt(8) == 0) {
                            SThread.current().beginOperation(operation);
                            SThread.current().switchPoint();
                        } else {
                            RandomWork work = new RandomWork(random, replay);
                            work.run(operation);
                            worksLed.addAndGet(work.led ? 1 : 0);
                        }
                        if (random.nextBoolean()) {
                            SThread.current().endOperation();
                        }
                        SThread.current().transactionBoundary();
                    }
                }));
            }
            scheduler.awaitTermination();
            Fixtures.rethrow(started);
            long counted = 0;
            for (OperationStatistics each : scheduler.statistics()) {
                assertEquals(each.membersIn(), each.membersOut() + each.straysTotal(), replay + " " + each);
                counted += each.membersStaged();
            }
            assertEquals(worksLed.get(), counted, replay);
            assertTrue(mode != TeamMode.ON || counted > 0, replay);
        }
    }

    /** A work that waits, throws or is suspended at stages drawn beforehand. */
    private static final class RandomWork implements StagedWork {
        private final Random random;
        private final String replay;
        private final int stages;
        private final int waitsAt;
        private final int throwsAt;
        private final boolean yieldsAsLeader;
        private final boolean loopFails;
        private int stagesDone;
        private boolean inHands;
        private boolean wentOn;
        private boolean waits;
        private boolean led;
        private IllegalStateException failure;

        RandomWork(Random random, String replay) {
            this.random = random;
            this.replay = replay;
            stages = 1 + random.nextInt(4);
            waitsAt = random.nextInt(10);
            throwsAt = random.nextInt(20);
            yieldsAsLeader = random.nextInt(20) == 0;
            loopFails = random.nextInt(20) == 0;
        }

        void run(int operation) {
            boolean loopFailed = false;
            try {
                SThread.current().beginOperation(operation, this);
            } catch (IllegalStateException e) {
                assertEquals("loop", e.getMessage(), replay);
                loopFailed = true;
            }
            wentOn = true;
            assertFalse(inHands, replay);
            assertEquals(loopFails && led && loopFailed, loopFailed, replay);
            while (stagesDone < stages && failure == null) {
                if (waits) {
                    Waiter waiter = new Waiter();
                    waiter.prepare();
                    assertEquals(
                            Waiter.Outcome.TIMED_OUT,
                            waiter.await(System.nanoTime() + random.nextInt(20_000), WaitReason.LOCK),
                            replay);
                    waits = false;
                    stagesDone++;
                } else {
                    step();
                }
                SThread.current().switchPoint();
            }
            assertEquals(throwsAt < stages && throwsAt != waitsAt, failure != null, replay);
            assertEquals(failure == null ? stages : throwsAt, stagesDone, replay);
        }

        private boolean step() {
            if (stagesDone == waitsAt) {
                waits = true;
            } else if (stagesDone == throwsAt) {
                failure = new IllegalStateException("stage");
            } else {
                stagesDone++;
            }
            return !waits && failure == null && stagesDone < stages;
        }

        @Override
        public void runTogether(StagedWork[] team, int count) {
            for (int i = 0; i < count; i++) {
                RandomWork each = (RandomWork) team[i];
                each.led = true;
                each.inHands = true;
                assertFalse(each.wentOn, replay);
            }
            int left = count;
            while (left > 0) {
                int i = 0;
                while (i < left) {
                    RandomWork each = (RandomWork) team[i];
                    if (each.step()) {
                        i++;
                    } else {
                        team[i] = team[--left];
                        team[left] = each;
                    }
                }
                if (yieldsAsLeader) {
                    SThread.current().yieldTurn();
                }
                if (loopFails) {
                    left = 0;
                }
            }
            for (int i = 0; i < count; i++) {
                ((RandomWork) team[i]).inHands = false;
            }
            if (loopFails) {
                throw new IllegalStateException("loop");
            }
        }
    }

    @Test
    void theExecutionOfTeamsIsRequired() {
        SchedulerOptions options = SchedulerOptions.defaults();
        assertEquals(TeamExecution.SWITCHING, options.teamExecution());
        assertThrows(NullPointerException.class, () -> options.withTeamExecution(null));
    }
}
