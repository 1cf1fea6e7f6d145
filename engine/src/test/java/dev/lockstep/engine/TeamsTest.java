package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.instance.RangeScan;
import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.scheduler.TeamPolicy;
import dev.lockstep.scheduler.WaitReason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What teams see of the engine: its switch points, and scans that let others run. */
class TeamsTest {
    private static final int MEMBERS = 3;
    private static final int TRANSACTIONS = 20;
    private static final int SHARED_ROWS = 10;
    private static final int ROWS_PER_MEMBER = 1_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private static SchedulerOptions oneCarrier(SThreadKind kind, TeamMode mode) {
        return SchedulerOptions.defaults()
                .withKind(kind)
                .withCarriers(1)
                .withTeamMode(mode)
                .withSwitchPointsOn(true);
    }

    /** Starts all before any of them runs: an S-thread of the same carrier does it, which keeps it until then. */
    static void runTogether(Scheduler scheduler, List<Runnable> bodies) throws InterruptedException {
        // Filled by the starter alone: for a monitor that another thread has just then it would give up the carrier.
        List<SThread> started = new ArrayList<>();
        SThread starter = scheduler.start("starter", 0, () -> {
            for (int i = 0; i < bodies.size(); i++) {
                started.add(scheduler.start("member-" + i, 0, bodies.get(i)));
            }
        });
        scheduler.awaitTermination();
        started.add(starter);
        for (SThread sThread : started) {
            if (sThread.failure() != null) {
                throw new AssertionError("sThread=" + sThread.name(), sThread.failure());
            }
        }
    }

    private static void insertRows(Database database, Table table, int count) {
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < count; id++) {
                DatabaseTest.put(transaction, table, row, id, "name", id);
            }
        });
    }

    private static long inAll(Scheduler scheduler, ToLongFunction<OperationStatistics> count) {
        return scheduler.statistics().stream().mapToLong(count).sum();
    }

    /** They are threads like others to it: in their own scheduler its numbers of operations mean something else. */
    @ParameterizedTest
    @EnumSource(SThreadKind.class)
    void sThreadsOfAnotherSchedulerTakeNoPartInTeams(SThreadKind kind) throws InterruptedException {
        try (Scheduler own = new Scheduler(oneCarrier(SThreadKind.CONTINUATION, TeamMode.ON));
                Scheduler other = new Scheduler(oneCarrier(kind, TeamMode.ON))) {
            Database database = validated.unexamined(Database.inMemory(ValidatedDatabase.USUAL, own));
            Table table = database.createTable(DatabaseTest.accounts());
            List<Runnable> bodies = new ArrayList<>();
            for (int member = 0; member < MEMBERS; member++) {
                int from = member * TRANSACTIONS;
                bodies.add(() -> {
                    for (int id = from; id < from + TRANSACTIONS; id++) {
                        int inserted = id;
                        database.run(transaction ->
                                DatabaseTest.put(transaction, table, table.newRecord(), inserted, "name", inserted));
                    }
                });
            }
            runTogether(other, bodies);
            assertEquals(
                    MEMBERS * TRANSACTIONS, DatabaseTest.ids(database, null).size());
            assertEquals(0, inAll(other, OperationStatistics::membersIn), "operations that are not its own");
            database.validate();
            database.close();
        }
    }

    /** The paper's Table 2: each operation has a point by which its members take turns. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void eachOfTheSevenOperationsHasSwitchPoints(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(oneCarrier(kind, TeamMode.ON))) {
            DatabaseOptions options = DatabaseOptions.builder()
                    .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                    .build();
            Database database = validated.inMemory(options, scheduler);
            Table table = database.createTable(DatabaseTest.accounts());
            insertRows(database, table, SHARED_ROWS);
            scheduler.resetStatistics();
            List<Runnable> members = new ArrayList<>();
            for (int member = 1; member <= MEMBERS; member++) {
                int firstId = member * ROWS_PER_MEMBER;
                members.add(() -> runMember(database, table, firstId));
            }
            runTogether(scheduler, members);
            Map<String, Long> switches = scheduler.statistics().stream()
                    .collect(Collectors.toMap(OperationStatistics::operation, OperationStatistics::switches));
            for (String operation : List.of(
                    "begin",
                    "commit",
                    "fetch account",
                    "scan account",
                    "insert account",
                    "update account",
                    "delete account")) {
                assertTrue(switches.getOrDefault(operation, 0L) > 0, () -> operation + " of " + switches);
            }
        }
    }

    /** The same operations in the same order for all, each on rows of its own. */
    private static void runMember(Database database, Table table, int firstId) {
        TransactionOptions options =
                TransactionOptions.of(DatabaseOptions.defaults()).withIsolation(Isolation.READ_COMMITTED);
        Record row = table.newRecord();
        for (int id = firstId; id < firstId + TRANSACTIONS; id++) {
            Key key = table.newKey().add(id);
            database.run(options, transaction -> {
                assertTrue(transaction.fetch(table, table.newKey().add(SHARED_ROWS / 2), row));
                assertEquals(SHARED_ROWS, count(transaction, table, row));
                DatabaseTest.put(transaction, table, row, key.getInt(0), "own", 1);
                row.setString(1, "changed");
                assertTrue(transaction.update(table, row));
                assertTrue(transaction.delete(table, key));
            });
        }
    }

    private static int count(Transaction transaction, Table table, Record row) {
        int count = 0;
        try (Cursor cursor = transaction.scan(table).to(table.newKey().add(SHARED_ROWS - 1))) {
            while (cursor.next(row)) {
                count++;
            }
        }
        return count;
    }

    /** A commit that has changed nothing passes the same point as one that has. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aCommitOfReadersHasItsSwitchPoint(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(oneCarrier(kind, TeamMode.ON))) {
            Database database = validated.inMemory(
                    DatabaseOptions.builder()
                            .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                            .build(),
                    scheduler);
            Table table = database.createTable(DatabaseTest.accounts());
            insertRows(database, table, SHARED_ROWS);
            scheduler.resetStatistics();
            Runnable reader = () -> {
                Record row = table.newRecord();
                for (int i = 0; i < TRANSACTIONS; i++) {
                    database.run(transaction ->
                            assertTrue(transaction.fetch(table, table.newKey().add(1), row)));
                }
            };
            runTogether(scheduler, Collections.nCopies(MEMBERS, reader));
            long switches = inAll(scheduler, each -> each.operation().equals("commit") ? each.switches() : 0);
            assertTrue(switches >= TRANSACTIONS, () -> scheduler.statistics().toString());
        }
    }

    /** A scan gives up its turn after so many rows of its own accord, long before the scheduler would end the turn. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, OFF, 1", "CONTINUATION, OFF, 1", "VIRTUAL, ON, 300", "CONTINUATION, ON, 300"})
    void aLongScanLetsOthersRun(SThreadKind kind, TeamMode mode, int fetches) throws InterruptedException {
        int rows = 10 * RangeScan.ROWS_PER_TURN;
        try (Scheduler scheduler = new Scheduler(oneCarrier(kind, mode))) {
            Database database = validated.inMemory(
                    DatabaseOptions.builder()
                            .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                            .build(),
                    scheduler);
            Table table = database.createTable(DatabaseTest.accounts());
            insertRows(database, table, rows);
            scheduler.resetStatistics();
            AtomicInteger rowsScanned = new AtomicInteger();
            AtomicInteger rowsScannedBefore = new AtomicInteger(rows);
            Runnable scanner = () -> database.run(transaction -> {
                Record row = table.newRecord();
                try (Cursor cursor = transaction.scan(table)) {
                    while (cursor.next(row)) {
                        rowsScanned.incrementAndGet();
                    }
                }
            });
            Runnable fetcher = () -> {
                Record row = table.newRecord();
                for (int i = 0; i < fetches; i++) {
                    database.run(transaction ->
                            assertTrue(transaction.fetch(table, table.newKey().add(1), row)));
                }
                rowsScannedBefore.set(rowsScanned.get());
            };
            runTogether(scheduler, List.of(scanner, fetcher));
            assertEquals(rows, rowsScanned.get());
            // In teams each of its operations waits for some steps of the scan, otherwise all together for one turn.
            int rowsMax = mode == TeamMode.ON ? rows - 1 : RangeScan.ROWS_PER_TURN;
            assertTrue(rowsScannedBefore.get() <= rowsMax, () -> "rowsScannedBefore=" + rowsScannedBefore.get());
            if (mode == TeamMode.ON) {
                long strays = inAll(scheduler, each -> each.strays().getOrDefault(WaitReason.YIELD, 0L));
                assertTrue(strays > 0, () -> scheduler.statistics().toString());
            }
        }
    }

    /** What counts are the rows that a scan has met, not the places of batches that stayed empty at its end. */
    @ParameterizedTest
    @CsvSource({"200, false", "300, true"})
    void aShortScanInBatchesKeepsItsTurn(int rows, boolean yields) throws InterruptedException {
        int capacity = 32;
        try (Scheduler scheduler = new Scheduler(oneCarrier(SThreadKind.VIRTUAL, TeamMode.ON))) {
            Database database = validated.inMemory(
                    DatabaseOptions.builder()
                            .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                            .build(),
                    scheduler);
            Table table = database.createTable(DatabaseTest.accounts());
            insertRows(database, table, rows);
            scheduler.resetStatistics();
            AtomicInteger rowsScanned = new AtomicInteger();
            Runnable scanner = () -> database.run(transaction -> {
                RowBatch batch = table.newBatch(capacity);
                try (Cursor cursor = transaction.scan(table)) {
                    while (cursor.next(batch) > 0) {
                        rowsScanned.addAndGet(batch.size());
                    }
                }
            });
            runTogether(scheduler, Collections.nCopies(MEMBERS, scanner));
            assertEquals(MEMBERS * rows, rowsScanned.get());
            long strays = inAll(scheduler, each -> each.strays().getOrDefault(WaitReason.YIELD, 0L));
            assertEquals(yields, strays > 0, () -> scheduler.statistics().toString());
        }
    }

    /**
     * Under {@link TeamPolicy#waves()} those of one kind begin together, of each part of the data one: whatever a
     * transaction ends by, the next of its part can begin.
     */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void transactionsOfOneKindBeginInWaves(SThreadKind kind) throws InterruptedException {
        SchedulerOptions waves = oneCarrier(kind, TeamMode.ON).withPolicy(TeamPolicy.waves());
        try (Scheduler scheduler = new Scheduler(waves)) {
            DatabaseOptions options = DatabaseOptions.builder()
                    .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                    .build();
            Database database = validated.inMemory(options, scheduler);
            Table table = database.createTable(DatabaseTest.accounts());
            insertRows(database, table, SHARED_ROWS);
            scheduler.resetStatistics();
            List<SThread> members = new ArrayList<>();
            scheduler.start("starter", 0, () -> {
                for (int member = 0; member < 2 * MEMBERS; member++) {
                    int part = member % MEMBERS;
                    members.add(scheduler.start("member-" + member, 0, part, () -> runEnding(database, table, part)));
                }
            });
            scheduler.awaitTermination();
            for (SThread member : members) {
                assertNull(member.failure(), member.name());
            }
            Map<String, Double> membersIn = scheduler.statistics().stream()
                    .filter(each -> each.teams() > 0)
                    .collect(Collectors.toMap(OperationStatistics::operation, OperationStatistics::membersInMean));
            for (String operation : List.of("begin transfer", "begin look", "update account")) {
                double mean = membersIn.getOrDefault(operation, 0.0);
                assertTrue(mean > MEMBERS - 1 && mean <= MEMBERS, () -> operation + " of " + membersIn);
            }
        }
    }

    /** Two kinds in turns; a third of the transactions is rolled back, by the caller or by what it throws. */
    private static void runEnding(Database database, Table table, int id) {
        TransactionOptions options =
                TransactionOptions.of(DatabaseOptions.defaults()).withIsolation(Isolation.SERIALIZABLE);
        Record row = table.newRecord();
        try (Session session = database.openSession()) {
            for (int i = 0; i < TRANSACTIONS; i++) {
                Transaction transfer = session.begin(options.withKind("transfer"));
                assertTrue(transfer.fetch(table, table.newKey().add(id), row));
                row.setLong(2, i);
                assertTrue(transfer.update(table, row));
                if (i % 3 == 0) {
                    transfer.rollback();
                } else {
                    transfer.commit();
                }
                int turn = i;
                try {
                    database.run(options.withKind("look"), look -> {
                        assertTrue(look.fetch(table, table.newKey().add(id), row));
                        if (turn % 3 == 0) {
                            throw new IllegalStateException("rolled back");
                        }
                    });
                } catch (IllegalStateException expected) {
                    assertEquals(0, turn % 3);
                }
            }
        }
    }
}
