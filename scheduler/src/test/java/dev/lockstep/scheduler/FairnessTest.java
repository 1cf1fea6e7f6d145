package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Nobody waits for more teams or operations than the documented bounds, counted, not timed. Starving ends nowhere. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FairnessTest {
    private static final int TERMINALS = 10_000;
    private static final int SCANNER_STEPS_PER_TURN = 100;

    /** Counts what one carrier runs; everything happens on its thread. */
    private static final class Progress {
        private final long operationsMin;
        private final long teamsMin;
        private long operationsRun;
        private long longestWaitTeams;
        private long longestWaitOperations;
        private int terminalsEnded;
        private long scannerTurns;

        Progress(long operationsMin, long teamsMin) {
            this.operationsMin = operationsMin;
            this.teamsMin = teamsMin;
        }

        boolean isLongEnough(CarrierThread carrier) {
            return operationsRun >= operationsMin && carrier.teamsFormed() >= teamsMin;
        }
    }

    /**
     * Ten thousand terminals run two operations in turn beside a scanner that never ends its operation while any
     * terminal lives, but gives up its turn every so many steps. They go on for twice as long as anybody may have to
     * wait, so that a terminal that is left out has waited too long when the others end.
     */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, ON", "CONTINUATION, ON", "VIRTUAL, GOVERNED", "CONTINUATION, OFF"})
    void tenThousandTerminalsBesideOneLongScanner(SThreadKind kind, TeamMode mode) throws InterruptedException {
        SchedulerOptions options = Fixtures.exact(kind).withTeamMode(mode);
        try (Scheduler scheduler = new Scheduler(options)) {
            int scan = scheduler.registerOperation("scan");
            int[] operations = {scheduler.registerOperation("fetch"), scheduler.registerOperation("update")};
            long teamsMax = scheduler.teamsBetweenTurnsMax(TERMINALS + 1, 3);
            // In teams, each of those between two turns runs at most its limit of operations, and each stray one.
            long inTeamsMax = teamsMax * options.teamLimit() + TERMINALS + 1;
            // Without, everybody has one turn of at most so many operations. The governor may change between the two.
            long straightMax =
                    (TERMINALS + 1) * (Scheduler.OPERATIONS_PER_TURN_MAX + 2L * CarrierTurns.SAMPLE_INTERVAL);
            long operationsMax = (mode == TeamMode.OFF ? 0 : inTeamsMax) + (mode == TeamMode.ON ? 0 : straightMax);

            Progress progress = new Progress(2 * operationsMax, mode == TeamMode.ON ? 2 * teamsMax : 0);
            List<Runnable> bodies = new ArrayList<>();
            bodies.add(() -> scanUntilAllEnded(progress, scan));
            for (int i = 0; i < TERMINALS; i++) {
                bodies.add(() -> runTerminal(progress, operations));
            }
            Fixtures.runTogether(scheduler, bodies);
            assertEquals(TERMINALS, progress.terminalsEnded);
            assertTrue(progress.scannerTurns > 0);
            assertTrue(progress.operationsRun > operationsMax);
            assertTrue(
                    progress.longestWaitTeams <= teamsMax,
                    "longestWaitTeams=" + progress.longestWaitTeams + " teamsMax=" + teamsMax);
            assertTrue(
                    progress.longestWaitOperations <= operationsMax,
                    "longestWaitOperations=" + progress.longestWaitOperations + " operationsMax=" + operationsMax);
        }
    }

    private static void scanUntilAllEnded(Progress progress, int scan) {
        SThread self = SThread.current();
        self.beginOperation(scan);
        while (progress.terminalsEnded < TERMINALS) {
            for (int step = 0; step < SCANNER_STEPS_PER_TURN; step++) {
                self.switchPoint();
            }
            progress.scannerTurns++;
            self.yieldTurn();
        }
        self.endOperation();
    }

    private static void runTerminal(Progress progress, int[] operations) {
        SThread self = SThread.current();
        long teamsBefore = 0;
        long operationsBefore = 0;
        boolean ended = false;
        for (int next = 0; !ended; next ^= 1) {
            self.beginOperation(operations[next]);
            long teams = self.carrier.teamsFormed();
            progress.longestWaitTeams = Math.max(progress.longestWaitTeams, teams - teamsBefore);
            progress.longestWaitOperations =
                    Math.max(progress.longestWaitOperations, progress.operationsRun - operationsBefore);
            ended = progress.isLongEnough(self.carrier);
            progress.operationsRun++;
            self.switchPoint();
            teamsBefore = self.carrier.teamsFormed();
            operationsBefore = progress.operationsRun;
            self.endOperation();
        }
        progress.terminalsEnded++;
    }

    /**
     * A policy that always prefers one operation, of which there is always more: the other list must still run, after
     * exactly the number of teams that may be preferred to it.
     */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void noPolicyStarvesAList(SThreadKind kind) throws InterruptedException {
        boolean[] neglectedRan = new boolean[1];
        long[] preferredRun = new long[1];
        long[] preferredBeforeNeglected = new long[1];
        int[] preferred = new int[1];
        SchedulerOptions options =
                Fixtures.exact(kind).withTeamLimit(1).withPolicy((lastWanted, waiting) -> preferred[0]);
        try (Scheduler scheduler = new Scheduler(options)) {
            preferred[0] = scheduler.registerOperation("preferred");
            int neglected = scheduler.registerOperation("neglected");
            Runnable greedy = () -> {
                SThread self = SThread.current();
                while (!neglectedRan[0]) {
                    self.beginOperation(preferred[0]);
                    preferredRun[0]++;
                    self.endOperation();
                }
            };
            Runnable patient = () -> {
                SThread self = SThread.current();
                self.beginOperation(neglected);
                preferredBeforeNeglected[0] = preferredRun[0];
                neglectedRan[0] = true;
                self.endOperation();
            };
            Fixtures.runTogether(scheduler, List.of(patient, greedy, greedy));
            assertEquals(Scheduler.TEAMS_PASSED_OVER_MAX, preferredBeforeNeglected[0]);
        }
    }

    /** A stray goes on before the next team; one that yields must not, or it would give up its turn to itself. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void whoYieldsLetsATeamRunFirst(SThreadKind kind) throws InterruptedException {
        int yields = 5;
        long[] fetches = new long[1];
        long[] fetchesAtYield = new long[yields + 1];
        boolean[] scanned = new boolean[1];
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int scan = scheduler.registerOperation("scan");
            int fetch = scheduler.registerOperation("fetch");
            Runnable scanner = () -> {
                SThread self = SThread.current();
                self.beginOperation(scan);
                for (int i = 0; i < yields; i++) {
                    fetchesAtYield[i] = fetches[0];
                    self.yieldTurn();
                }
                fetchesAtYield[yields] = fetches[0];
                scanned[0] = true;
                self.endOperation();
            };
            Runnable fetcher = () -> {
                SThread self = SThread.current();
                while (!scanned[0]) {
                    self.beginOperation(fetch);
                    fetches[0]++;
                    self.endOperation();
                }
            };
            Fixtures.runTogether(scheduler, List.of(scanner, fetcher));
            for (int i = 0; i < yields; i++) {
                assertEquals(fetchesAtYield[i] + 1, fetchesAtYield[i + 1], "yield=" + i);
            }
        }
    }

    /** Nor must those that yield in one team after the other keep others that are ready from their turns. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void thoseWhoYieldInTeamsStarveNobody(SThreadKind kind) throws InterruptedException {
        int lists = 10;
        List<Integer> yielded = new ArrayList<>();
        List<Integer> yieldedBeforeStray = new ArrayList<>();
        SchedulerOptions options = Fixtures.exact(kind).withPolicy(TeamPolicy.longestWaiting());
        try (Scheduler scheduler = new Scheduler(options)) {
            List<Runnable> bodies = new ArrayList<>();
            bodies.add(() -> {
                SThread.current().yieldTurn();
                yieldedBeforeStray.addAll(yielded);
            });
            for (int i = 0; i < lists; i++) {
                int number = i;
                int operation = scheduler.registerOperation("scan " + i);
                bodies.add(() -> {
                    SThread self = SThread.current();
                    self.beginOperation(operation);
                    yielded.add(number);
                    long teams = self.carrier.teamsFormed();
                    self.yieldTurn();
                    assertTrue(number == lists - 1 || self.carrier.teamsFormed() > teams, "number=" + number);
                    self.endOperation();
                });
            }
            Fixtures.rethrow(Fixtures.runTogether(scheduler, () -> {}, bodies));
            assertEquals(List.of(0, 1), yieldedBeforeStray);
        }
    }

    /**
     * How many rows somebody without a team works on before another has its turn.
     *
     * @param operations of a transaction, or 0 where none ever ends
     * @param rows of an operation
     */
    private static long rowsOfATurn(SThreadKind kind, int operations, int rows) throws InterruptedException {
        boolean[] otherRan = new boolean[1];
        long[] rowsRun = new long[1];
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.OFF))) {
            int fetch = scheduler.registerOperation("fetch");
            Runnable endless = () -> {
                SThread self = SThread.current();
                for (long done = 0; !otherRan[0]; done++) {
                    if (operations != 0 && done % operations == 0) {
                        self.transactionBoundary();
                    }
                    if (!otherRan[0]) {
                        self.beginOperation(fetch);
                        self.countBatch(rows);
                        rowsRun[0] += rows;
                        self.endOperation();
                    }
                }
            };
            Fixtures.runTogether(scheduler, List.of(endless, () -> otherRan[0] = true));
        }
        return rowsRun[0];
    }

    /** Without teams and without anybody's consent, a turn ends after a bounded number of operations. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, 1", "CONTINUATION, 1", "VIRTUAL, 16", "CONTINUATION, 16"})
    void aStraightTurnIsBounded(SThreadKind kind, int rows) throws InterruptedException {
        long rowsRun = rowsOfATurn(kind, 0, rows);
        // It is looked at once in an interval of operations, whatever their rows.
        long slack = 2L * CarrierTurns.SAMPLE_INTERVAL * rows;
        assertTrue(rowsRun >= Scheduler.OPERATIONS_PER_TURN_MAX - (rows == 1 ? 0 : slack), "rowsRun=" + rowsRun);
        assertTrue(rowsRun <= Scheduler.OPERATIONS_PER_TURN_MAX + slack, "rowsRun=" + rowsRun);
    }

    /** A transaction boundary lets others run much earlier, and only if there are others. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, 10, 1", "CONTINUATION, 10, 1", "VIRTUAL, 1, 16", "CONTINUATION, 1, 16"})
    void aTurnMayEndAtATransactionBoundary(SThreadKind kind, int operations, int rows) throws InterruptedException {
        long rowsRun = rowsOfATurn(kind, operations, rows);
        long difference = Math.abs(rowsRun - Scheduler.OPERATIONS_PER_TURN);
        assertTrue(difference <= 2 * CarrierTurns.SAMPLE_INTERVAL, "rowsRun=" + rowsRun);
    }

    @Test
    void aTurnThatNobodyEndsStaysAtItsLongest() throws InterruptedException {
        int[] counted = new int[1];
        try (Scheduler scheduler =
                new Scheduler(Fixtures.exact(SThreadKind.CONTINUATION).withTeamMode(TeamMode.OFF))) {
            Fixtures.runTogether(scheduler, List.of(() -> {
                SThread self = SThread.current();
                self.countBatch(Integer.MAX_VALUE);
                self.countBatch(Integer.MAX_VALUE - Scheduler.OPERATIONS_PER_TURN_MAX);
                counted[0] = self.operationsThisTurn;
            }));
        }
        assertEquals(Scheduler.OPERATIONS_PER_TURN_MAX, counted[0]);
    }

    /** Timed waits expire although somebody else always has work. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, ON", "CONTINUATION, ON", "VIRTUAL, OFF", "CONTINUATION, OFF"})
    void deadlinesAreNoticedBesideABusySThread(SThreadKind kind, TeamMode mode) throws InterruptedException {
        boolean[] timedOut = new boolean[1];
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(mode))) {
            int fetch = scheduler.registerOperation("fetch");
            Runnable busy = () -> {
                SThread self = SThread.current();
                while (!timedOut[0]) {
                    self.beginOperation(fetch);
                    self.endOperation();
                }
            };
            Runnable waiting = () -> {
                Waiter waiter = new Waiter();
                waiter.prepare();
                assertEquals(Waiter.Outcome.TIMED_OUT, waiter.await(System.nanoTime() + 5_000_000, WaitReason.LOCK));
                timedOut[0] = true;
            };
            Fixtures.runTogether(scheduler, List.of(busy, waiting));
            assertTrue(timedOut[0]);
        }
    }

    @Test
    void theBoundGrowsWithSThreadsAndLists() {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.VIRTUAL))) {
            assertEquals(Scheduler.TEAMS_PASSED_OVER_MAX + 1, scheduler.teamsBetweenTurnsMax(1, 1));
            assertEquals(2 * (Scheduler.TEAMS_PASSED_OVER_MAX + 5), scheduler.teamsBetweenTurnsMax(11, 5));
        }
    }
}
