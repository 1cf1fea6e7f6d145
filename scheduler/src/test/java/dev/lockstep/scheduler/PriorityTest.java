package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** S-threads of high priority: before whom they go, and whom they cannot starve. */
class PriorityTest {
    private static final int WOKEN_BEFORE_LOCK = 4;

    private final StringBuilder order = new StringBuilder();

    private void note(String step) {
        order.append(step).append(' ');
    }

    private static void await(Waiter waiter, WaitReason reason) {
        waiter.prepare();
        assertEquals(Waiter.Outcome.SIGNALLED, waiter.await(Waiter.NO_DEADLINE, reason));
    }

    /**
     * Of the team of a, b and c the last leads, signals who waits beside the team, and leaves it as a stray. Its
     * successor is next, unless the one who has waited is of high priority.
     */
    @ParameterizedTest
    @CsvSource({
        "VIRTUAL, NORMAL, OTHER, c1 a1 b1 a2 b2 h1 c2",
        "CONTINUATION, NORMAL, OTHER, c1 a1 b1 a2 b2 h1 c2",
        "VIRTUAL, HIGH, OTHER, c1 h1 a1 b1 a2 b2 c2",
        "CONTINUATION, HIGH, LOCK, c1 h1 a1 b1 a2 b2 c2"
    })
    void whoIsOfHighPriorityGoesBeforeTheSuccessorOfAStray(
            SThreadKind kind, SThreadPriority priority, WaitReason reason, String expected)
            throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            Waiter waiter = new Waiter();
            Runnable beside = () -> {
                SThread.current().prioritize(priority);
                await(waiter, reason);
                note("h1");
            };
            Runnable strays = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("c1");
                waiter.signal();
                self.yieldTurn();
                note("c2");
                self.endOperation();
            };
            Fixtures.runTogether(
                    scheduler, List.of(beside, () -> twoSteps(fetch, "a"), () -> twoSteps(fetch, "b"), strays));
            assertEquals(expected, order.toString().strip());
        }
    }

    /** Who is the last of the team has its turn when the other's transaction ends, or when that yields. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, true", "CONTINUATION, true", "VIRTUAL, false", "CONTINUATION, false"})
    void theLastOfATeamIsNotForgotten(SThreadKind kind, boolean yields) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            Waiter urgent = new Waiter();
            Waiter lock = new Waiter();
            Runnable beside = () -> {
                SThread self = SThread.current();
                self.prioritize(SThreadPriority.HIGH);
                await(urgent, WaitReason.OTHER);
                note("h1");
                if (yields) {
                    self.yieldTurn();
                } else {
                    self.transactionBoundary();
                }
                note("h2");
            };
            Runnable strays = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                note("b1");
                lock.prepare();
                urgent.signal();
                assertEquals(Waiter.Outcome.SIGNALLED, lock.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
                self.endOperation();
            };
            Runnable last = () -> {
                twoSteps(fetch, "a");
                lock.signal();
            };
            Fixtures.runTogether(scheduler, List.of(beside, last, strays));
            assertEquals("b1 h1 a1 a2 h2", order.toString().strip());
        }
    }

    private void twoSteps(int fetch, String member) {
        SThread self = SThread.current();
        self.beginOperation(fetch);
        note(member + 1);
        self.switchPoint();
        note(member + 2);
        self.endOperation();
    }

    /** Without teams it goes on at the next transaction boundary, and gives the turn back at its own. */
    @ParameterizedTest
    @CsvSource({
        "VIRTUAL, NORMAL, g1 g2 t1 h1 h2",
        "CONTINUATION, NORMAL, g1 g2 t1 h1 h2",
        "VIRTUAL, HIGH, g1 h1 g2 t1 h2",
        "CONTINUATION, HIGH, g1 h1 g2 t1 h2"
    })
    void whoIsOfHighPriorityHasOneTransactionBeforeOthers(SThreadKind kind, SThreadPriority priority, String expected)
            throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.OFF))) {
            Waiter waiter = new Waiter();
            Runnable waiting = () -> {
                SThread.current().prioritize(priority);
                await(waiter, WaitReason.OTHER);
                note("h1");
                SThread.current().transactionBoundary();
                note("h2");
            };
            Runnable running = () -> {
                note("g1");
                waiter.signal();
                SThread.current().transactionBoundary();
                note("g2");
            };
            Fixtures.runTogether(scheduler, List.of(waiting, running, () -> note("t1")));
            assertEquals(expected, order.toString().strip());
        }
    }

    /** Two of high priority that wake each other for ever keep neither a turn nor who goes on with a lock waiting. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void thoseOfHighPriorityStarveNobody(SThreadKind kind) throws InterruptedException {
        int[] woken = new int[1];
        int[] wokenBefore = {-1, -1};
        Waiter locked = new Waiter();
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.OFF))) {
            List<Runnable> bodies = new ArrayList<>();
            bodies.add(() -> {
                await(locked, WaitReason.LOCK);
                wokenBefore[0] = woken[0];
            });
            Waiter[] waiters = {new Waiter(), new Waiter()};
            for (int i = 0; i < waiters.length; i++) {
                Waiter mine = waiters[i];
                Waiter other = waiters[1 - i];
                bodies.add(() -> {
                    SThread.current().prioritize(SThreadPriority.HIGH);
                    while (wokenBefore[1] < 0) {
                        mine.prepare();
                        if (woken[0] == WOKEN_BEFORE_LOCK) {
                            locked.signal();
                        }
                        other.signal();
                        assertEquals(Waiter.Outcome.SIGNALLED, mine.await(Waiter.NO_DEADLINE, WaitReason.OTHER));
                        woken[0]++;
                    }
                    other.signal();
                });
            }
            bodies.add(() -> wokenBefore[1] = woken[0]);
            Fixtures.rethrow(Fixtures.runTogether(scheduler, () -> {}, bodies));
            assertEquals(WOKEN_BEFORE_LOCK, wokenBefore[0], "one of each in turn");
            assertEquals(
                    Scheduler.RESUMED_IN_A_ROW_MAX - 1, wokenBefore[1], "with the one that held a lock among them");
        }
    }
}
