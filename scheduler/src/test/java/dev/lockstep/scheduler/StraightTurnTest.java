package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.latch.LatchTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** In which order S-threads have their turns where no teams are formed. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StraightTurnTest {
    private static final int TERMINALS = 20;
    private static final int TRANSACTIONS = 10;

    private final StringBuilder order = new StringBuilder();

    private void note(String step) {
        order.append(step).append(' ');
    }

    /** A lock with a queue that hands itself to who has waited longest. Everything happens on one carrier. */
    private static final class QueueLock {
        private final Queue<Waiter> queue = new ArrayDeque<>();
        private boolean held;
        private int waits;

        void lock(Waiter waiter) {
            if (!held) {
                held = true;
                return;
            }
            waits++;
            waiter.prepare();
            queue.add(waiter);
            assertEquals(Waiter.Outcome.SIGNALLED, waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
        }

        void unlock() {
            Waiter next = queue.poll();
            if (next == null) {
                held = false;
            } else {
                next.signal();
            }
        }
    }

    private static void operation(int number) {
        SThread self = SThread.current();
        self.beginOperation(number);
        self.endOperation();
    }

    /**
     * Member w goes on in the middle of its transaction as soon as g is between two of its own, and gives the turn back
     * to g at the end of it; only then comes c, which waited for a turn all along. Had w waited for the log, it would
     * have had to wait for its turn as well.
     */
    @ParameterizedTest
    @CsvSource({
        "VIRTUAL, LOCK, w1 g1 g2 w2 g3 c1 w3",
        "CONTINUATION, LOCK, w1 g1 g2 w2 g3 c1 w3",
        "VIRTUAL, IO, w1 g1 g2 w2 g3 c1 w3",
        "VIRTUAL, LOG, w1 g1 g2 g3 c1 w2 w3",
        "CONTINUATION, OTHER, w1 g1 g2 g3 c1 w2 w3"
    })
    void whoHoldsUpOthersGoesOnAtTheNextBoundary(SThreadKind kind, WaitReason reason, String expected)
            throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.OFF))) {
            int fetch = scheduler.registerOperation("fetch");
            Waiter waiter = new Waiter();
            Runnable waiting = () -> {
                operation(fetch);
                note("w1");
                waiter.prepare();
                assertEquals(Waiter.Outcome.SIGNALLED, waiter.await(Waiter.NO_DEADLINE, reason));
                operation(fetch);
                note("w2");
                SThread.current().transactionBoundary();
                note("w3");
            };
            Runnable granting = () -> {
                operation(fetch);
                note("g1");
                waiter.signal();
                operation(fetch);
                note("g2");
                SThread.current().transactionBoundary();
                note("g3");
            };
            Fixtures.runTogether(scheduler, List.of(waiting, granting, () -> note("c1")));
            assertEquals(expected, order.toString().strip());
        }
    }

    /** Started in turn for both parts, as terminals are; those without a part have their turns among themselves too. */
    @ParameterizedTest
    @CsvSource({
        "VIRTUAL, 0, 1, a b c d a b c d",
        "CONTINUATION, 0, 1, a b c d a b c d",
        "VIRTUAL, 7, -1, a b c d a b c d",
        "VIRTUAL, -1, -1, a c b d a c b d",
        "CONTINUATION, 3, 259, a c b d a c b d"
    })
    void thoseOfOnePartHaveTheirTurnsInARow(SThreadKind kind, int one, int other, String expected)
            throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.OFF))) {
            scheduler.start("starter", 0, () -> {
                scheduler.start("a", 0, one, () -> notesTwice("a"));
                scheduler.start("c", 0, other, () -> notesTwice("c"));
                scheduler.start("b", 0, one, () -> notesTwice("b"));
                scheduler.start("d", 0, other, () -> notesTwice("d"));
            });
            scheduler.awaitTermination();
            assertEquals(expected, order.toString().strip());
        }
    }

    private void notesTwice(String name) {
        note(name);
        SThread.current().yieldTurn();
        note(name);
    }

    /**
     * One transaction waits for a page while it holds a lock that all others need. Each of them waits for the lock that
     * once, and never again: those that have it finish before others begin, so nobody begins while somebody has it.
     */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aQueueForALockDissolves(SThreadKind kind) throws InterruptedException {
        QueueLock lock = new QueueLock();
        Waiter page = new Waiter();
        int[] committed = new int[1];
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.OFF))) {
            int update = scheduler.registerOperation("update");
            List<Runnable> bodies = new ArrayList<>();
            bodies.add(() -> {
                lock.lock(new Waiter());
                page.prepare();
                assertEquals(Waiter.Outcome.SIGNALLED, page.await(Waiter.NO_DEADLINE, WaitReason.IO));
                lock.unlock();
            });
            for (int i = 0; i < TERMINALS; i++) {
                bodies.add(() -> {
                    Waiter waiter = new Waiter();
                    for (int transaction = 0; transaction < TRANSACTIONS; transaction++) {
                        SThread.current().transactionBoundary();
                        operation(update);
                        lock.lock(waiter);
                        operation(update);
                        lock.unlock();
                        committed[0]++;
                    }
                });
            }
            bodies.add(page::signal);
            Fixtures.runTogether(scheduler, bodies);
            assertEquals(TERMINALS * TRANSACTIONS, committed[0]);
            assertEquals(TERMINALS, lock.waits);
        }
    }

    /**
     * Members a and b run fetch as a team and then update without one. Member b leaves the team with locks, as it were,
     * so it goes on after the team and not after d, which has become ready before it but stands at a beginning.
     */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void whoComesOutOfATeamGoesOnBeforeOthersBegin(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.OFF))) {
            int fetch = scheduler.registerOperation("fetch");
            int update = scheduler.registerOperation("update");
            Waiter waiter = new Waiter();
            Runnable beginner = () -> {
                operation(fetch);
                SThread.current().carrier.list(fetch).straight = false;
                note("d1");
                waiter.prepare();
                assertEquals(Waiter.Outcome.SIGNALLED, waiter.await(Waiter.NO_DEADLINE, WaitReason.OTHER));
                note("d2");
            };
            Runnable first = () -> {
                SThread.current().beginOperation(fetch);
                note("a1");
                operation(update);
                note("a2");
            };
            Runnable second = () -> {
                SThread.current().beginOperation(fetch);
                note("b1");
                waiter.signal();
                operation(update);
                note("b2");
            };
            Fixtures.runTogether(scheduler, List.of(beginner, first, second));
            assertEquals("d1 b1 a1 a2 b2 d2", order.toString().strip());
        }
    }

    /** Bodies of two that go on by turns until a third has run, and count how often. */
    private static List<Runnable> twoWhoGrantEachOther(boolean[] thirdRan, int[] resumed) {
        Waiter[] waiters = {new Waiter(), new Waiter()};
        List<Runnable> bodies = new ArrayList<>();
        for (int i = 0; i < waiters.length; i++) {
            Waiter mine = waiters[i];
            Waiter other = waiters[1 - i];
            bodies.add(() -> {
                while (!thirdRan[0]) {
                    mine.prepare();
                    other.signal();
                    assertEquals(Waiter.Outcome.SIGNALLED, mine.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
                    resumed[0] += thirdRan[0] ? 0 : 1;
                }
                other.signal();
            });
        }
        return bodies;
    }

    /** Two that grant each other a lock for ever do not keep a third from its turn. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void thoseWhoGoOnStarveNobody(SThreadKind kind) throws InterruptedException {
        boolean[] thirdRan = new boolean[1];
        int[] resumed = new int[1];
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.OFF))) {
            List<Runnable> bodies = twoWhoGrantEachOther(thirdRan, resumed);
            bodies.add(() -> thirdRan[0] = true);
            Fixtures.runTogether(scheduler, bodies);
            assertEquals(Scheduler.RESUMED_IN_A_ROW_MAX, resumed[0]);
        }
    }

    /** As above, beside one that has yielded meanwhile and so begins to wait when some have gone on already. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void thoseWhoGoOnStarveNobodyWhoHasYielded(SThreadKind kind) throws InterruptedException {
        boolean[] thirdRan = new boolean[1];
        int[] resumed = new int[1];
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.OFF))) {
            List<Runnable> bodies = twoWhoGrantEachOther(thirdRan, resumed);
            bodies.add(() -> {
                resumed[0] = 0;
                SThread.current().yieldTurn();
                thirdRan[0] = true;
            });
            Fixtures.runTogether(scheduler, bodies);
            assertEquals(Scheduler.RESUMED_IN_A_ROW_MAX, resumed[0]);
        }
    }

    /**
     * Who sleeps for one latch while it holds another goes on before all that wait for a turn: each of them may come to
     * wait for the latch that it holds.
     */
    @Test
    void whoHoldsALatchGoesOnBeforeOthersBegin() throws InterruptedException {
        LatchTable latches = new LatchTable(2);
        SThread[] holder = new SThread[1];
        boolean[] freed = new boolean[1];
        boolean[] wentOn = new boolean[1];
        Set<SThread> hadTheirTurnFirst = new HashSet<>();
        latches.latchExclusive(1);
        SchedulerOptions options = Fixtures.exact(SThreadKind.VIRTUAL).withTeamMode(TeamMode.OFF);
        try (Scheduler scheduler = new Scheduler(options)) {
            int fetch = scheduler.registerOperation("fetch");
            List<Runnable> bodies = new ArrayList<>();
            bodies.add(() -> {
                holder[0] = SThread.current();
                latches.latchExclusive(0);
                holder[0].latchAcquired();
                latches.latchExclusive(1);
                wentOn[0] = true;
                latches.unlatchExclusive(1);
                latches.unlatchExclusive(0);
                holder[0].latchReleased();
            });
            Runnable terminal = () -> {
                while (!wentOn[0]) {
                    SThread.current().transactionBoundary();
                    if (holder[0].state == SThread.State.WAITING && !freed[0]) {
                        freed[0] = true;
                        latches.unlatchExclusive(1);
                    }
                    if (holder[0].state == SThread.State.READY) {
                        hadTheirTurnFirst.add(SThread.current());
                    }
                    operation(fetch);
                }
            };
            bodies.addAll(Collections.nCopies(TERMINALS, terminal));
            Fixtures.rethrow(Fixtures.runTogether(scheduler, () -> {}, bodies));
            assertEquals(Set.of(), hadTheirTurnFirst);
        }
    }

    /** A turn among few is long, a turn among thousands short: a round of all has a limit. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, 1", "VIRTUAL, 500", "CONTINUATION, 5000"})
    void turnsAreShorterWhereMoreWait(SThreadKind kind, int waiting) throws InterruptedException {
        long[] operations = new long[1];
        boolean[] otherRan = new boolean[1];
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.OFF))) {
            int fetch = scheduler.registerOperation("fetch");
            List<Runnable> bodies = new ArrayList<>();
            bodies.add(() -> {
                while (!otherRan[0]) {
                    SThread.current().transactionBoundary();
                    if (!otherRan[0]) {
                        operation(fetch);
                        operations[0]++;
                    }
                }
            });
            for (int i = 0; i < waiting; i++) {
                bodies.add(() -> otherRan[0] = true);
            }
            Fixtures.runTogether(scheduler, bodies);
        }
        long expected = Math.clamp(
                (long) Scheduler.OPERATIONS_PER_ROUND / (waiting + 1),
                Scheduler.OPERATIONS_PER_TURN_MIN,
                Scheduler.OPERATIONS_PER_TURN);
        // Operations are counted a sampling interval at a time, when it begins.
        long slack = 2L * CarrierTurns.SAMPLE_INTERVAL;
        assertTrue(
                Math.abs(operations[0] - expected) <= slack,
                "operations=" + operations[0] + " expected=" + expected + " slack=" + slack);
    }

    /**
     * Whoever waits in a list while the governor tries teams is in the middle of a transaction, with its locks and its
     * memory: with a thousand ready no more than the teams of a trial have members, and not all whose turns lead there.
     */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aTrialOfTeamsStopsFewInTheMiddle(SThreadKind kind) throws InterruptedException {
        int operationsPerTransaction = 20;
        int[] underWay = new int[1];
        int[] underWayMax = new int[1];
        SchedulerOptions options = Fixtures.exact(kind).withTeamMode(TeamMode.GOVERNED);
        try (Scheduler scheduler = new Scheduler(options)) {
            int fetch = scheduler.registerOperation("fetch");
            Runnable terminal = () -> {
                for (int transaction = 0; transaction < TRANSACTIONS; transaction++) {
                    SThread.current().transactionBoundary();
                    underWayMax[0] = Math.max(underWayMax[0], ++underWay[0]);
                    for (int i = 0; i < operationsPerTransaction; i++) {
                        operation(fetch);
                    }
                    underWay[0]--;
                }
            };
            Fixtures.runTogether(scheduler, Collections.nCopies(1_000, terminal));
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertTrue(statistics.teams() >= Governor.TRIAL_TEAMS, () -> "teams=" + statistics.teams());
            int trialMembersMax = Governor.TRIAL_TEAMS_MAX * options.teamLimit();
            assertTrue(underWayMax[0] <= trialMembersMax, () -> "underWayMax=" + underWayMax[0]);
        }
    }
}
