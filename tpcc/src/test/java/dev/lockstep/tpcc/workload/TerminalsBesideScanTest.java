package dev.lockstep.tpcc.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.tpcc.SmallDatabase;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ten thousand terminals on S-threads of one carrier, beside a scan of a whole table that never ends: nobody starves.
 * How long terminals and scan wait for a turn is counted in the teams and operations that the scheduler's statistics
 * show, not in time. The terminals only read, since waits for locks have bounds of their own. Everything runs on the
 * carrier's thread, which alone touches the counts.
 */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TerminalsBesideScanTest {
    private static final int TERMINALS = 10_000;
    private static final int TRANSACTIONS_PER_TERMINAL = 6;
    private static final long SEED = 19;

    /** Parts of the data that terminals name, so that their turns do not come in the order in which they wait. */
    private static final int PARTS = 7;

    /** One of so many terminals is watched: statistics cost more than an operation. */
    private static final int TERMINALS_PER_WATCHED = 50;

    /** After so many rows the engine's scans let others run ({@code RangeScan.ROWS_PER_TURN}). */
    private static final int ROWS_PER_TURN = 256;

    /** More than the operations on different tables and indexes that the terminals and the scan consist of. */
    private static final int OPERATION_KINDS_MAX = 12;

    private static final Set<String> WATCHED_CALLS = Set.of("begin", "readCustomerForStatus");

    private Scheduler scheduler;
    private LockstepAdapter adapter;
    private int terminalsLive = TERMINALS;
    private long longestWaitOperations;
    private long longestWaitTeams;
    private long scannedRows;
    private long scannerTurns;
    private long longestTurnRows;

    /** What the carrier has run so far. */
    private record Executed(long operations, long teams) {}

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void nobodyStarves(SThreadKind kind) throws InterruptedException {
        SchedulerOptions options =
                SchedulerOptions.defaults().withKind(kind).withCarriers(1).withTeamMode(TeamMode.ON);
        Executed all;
        long teamsMax;
        try (Scheduler steps = new Scheduler(options);
                Database database = Database.inMemory(DatabaseOptions.defaults(), steps)) {
            scheduler = steps;
            adapter = new LockstepAdapter(database, null, Durability.NONE, Duration.ofSeconds(30));
            SmallDatabase.load(adapter, SEED);
            scheduler.resetStatistics();
            List<SThread> started = new ArrayList<>();
            scheduler.start("starter", 0, () -> startAll(started)).join();
            for (SThread sThread : started) {
                sThread.join();
                assertNull(sThread.failure(), sThread::toString);
            }
            assertEquals(TERMINALS + 1, started.size());
            assertEquals(0, terminalsLive);
            all = executed();
            teamsMax = scheduler.teamsBetweenTurnsMax(TERMINALS + 1, OPERATION_KINDS_MAX);
            database.validate();
        }
        // Each team between two turns runs at most its limit of operations, and each stray one.
        long operationsMax = teamsMax * options.teamLimit() + TERMINALS + 1;
        String counts = "longestWaitTeams=" + longestWaitTeams + " teamsMax=" + teamsMax + " longestWaitOperations="
                + longestWaitOperations + " operationsMax=" + operationsMax + " scannerTurns=" + scannerTurns
                + " longestTurnRows=" + longestTurnRows + " scannedRows=" + scannedRows + " " + all;
        assertTrue(longestWaitTeams > 0 && longestWaitTeams <= teamsMax, counts);
        assertTrue(longestWaitOperations <= operationsMax, counts);
        assertTrue(
                all.teams() > teamsMax && all.operations() > operationsMax,
                () -> "too short to show that anybody starves: " + counts);
        assertTrue(scannerTurns > 0 && scannedRows > ROWS_PER_TURN, counts);
        assertTrue(longestTurnRows <= ROWS_PER_TURN, counts);
    }

    /** By one S-thread, so that nobody runs before all are there. */
    private void startAll(List<SThread> started) {
        NonUniformConstants constants = NonUniformConstants.ofRun(SEED);
        started.add(scheduler.start("scan", 0, this::scan));
        for (int number = 0; number < TERMINALS; number++) {
            Terminal terminal = new Terminal(
                    number,
                    SmallDatabase.SCALE,
                    constants,
                    TransactionMix.ORDER_STATUS,
                    SEED,
                    SmallDatabase.LOAD_MILLIS);
            boolean watched = number % TERMINALS_PER_WATCHED == 0;
            started.add(scheduler.start("terminal-" + number, 0, number % PARTS, () -> serve(terminal, watched)));
        }
    }

    private void serve(Terminal terminal, boolean watched) {
        try (TpccSession session = adapter.openSession()) {
            TpccTransactions work = new TpccTransactions(watched ? watch(session) : session);
            TransactionInput input = new TransactionInput();
            for (int i = 0; i < TRANSACTIONS_PER_TERMINAL; i++) {
                terminal.input(terminal.draw(), SmallDatabase.LOAD_MILLIS, input);
                work.execute(input);
            }
        } finally {
            terminalsLive--;
        }
    }

    /**
     * Counts what others run while a session waits for its turn: in {@code begin}, where a turn may end, and in a call
     * that is one operation.
     */
    private TpccSession watch(TpccSession session) {
        return (TpccSession) Proxy.newProxyInstance(
                TpccSession.class.getClassLoader(), new Class<?>[] {TpccSession.class}, (proxy, method, arguments) -> {
                    boolean counted = WATCHED_CALLS.contains(method.getName());
                    Executed before = counted ? executed() : null;
                    Object result = invoke(session, method, arguments);
                    if (counted) {
                        waited(before, executed());
                    }
                    return result;
                });
    }

    private static Object invoke(TpccSession session, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(session, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void waited(Executed before, Executed after) {
        longestWaitOperations = Math.max(longestWaitOperations, after.operations() - before.operations());
        longestWaitTeams = Math.max(longestWaitTeams, after.teams() - before.teams());
    }

    /** Reads a whole table again and again while any terminal lives. */
    private void scan() {
        Executed[] last = {executed()};
        long[] turnRows = {0};
        while (terminalsLive > 0) {
            try (TpccScanner scanner = adapter.openScanner()) {
                scanner.customers(row -> scanned(last, turnRows));
            }
        }
    }

    private void scanned(Executed[] last, long[] turnRows) {
        scannedRows++;
        Executed now = executed();
        if (now.operations() - last[0].operations() > 1) {
            waited(last[0], now);
            scannerTurns++;
            turnRows[0] = 0;
        }
        last[0] = now;
        turnRows[0]++;
        if (terminalsLive > 0) {
            longestTurnRows = Math.max(longestTurnRows, turnRows[0]);
        }
    }

    private Executed executed() {
        long operations = 0;
        long teams = 0;
        for (OperationStatistics statistics : scheduler.statistics()) {
            operations += statistics.operations();
            teams += statistics.teams();
        }
        return new Executed(operations, teams);
    }
}
