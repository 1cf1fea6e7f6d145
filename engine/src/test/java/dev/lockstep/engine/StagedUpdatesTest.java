package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Transfers between accounts whose rows the leaders of staged teams change: what was committed is there, nothing else
 * is, and no snapshot sees half a transfer; also behind a crash in which transactions were under way.
 */
class StagedUpdatesTest {
    private static final int MEMBERS = 10;
    private static final int TRANSACTIONS = 60;

    /** A few leaves. */
    private static final int ACCOUNTS = 200;

    private static final int NOTE_LENGTH = 100;
    private static final long AMOUNT = 1_000;
    private static final Path HOME = Path.of("/database");
    static final LogOptions LOG = LogOptions.sync()
            .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
            .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final AtomicLongArray expected = new AtomicLongArray(ACCOUNTS);

    private static Table filled(Database database) {
        Table table = database.createTable(TableDefinition.named("account")
                .column("id", ColumnType.int32())
                .column("amount", ColumnType.int64())
                .column("note", ColumnType.string(NOTE_LENGTH))
                .primaryKey("id")
                .build());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ACCOUNTS; id++) {
                row.clear();
                row.setInt(0, id);
                row.setLong(1, AMOUNT);
                row.setString(2, "n".repeat(NOTE_LENGTH));
                transaction.insert(table, row);
            }
        });
        return table;
    }

    private static void add(Transaction transaction, Table table, Record row, int id, long amount, boolean exclusive) {
        Key key = table.newKey().add(id);
        assertTrue(
                exclusive ? transaction.fetchExclusive(table, key, row) : transaction.fetchForUpdate(table, key, row));
        row.setLong(1, row.getLong(1) + amount);
        assertTrue(transaction.update(table, row));
    }

    /** Moves an amount from one account to others of higher ids, so that nobody waits in a circle. */
    private void transfer(Database database, Table table, Random random) {
        int[] ids = random.ints(3, MEMBERS, ACCOUNTS).sorted().distinct().toArray();
        long[] amounts = new long[ids.length];
        for (int i = 1; i < ids.length; i++) {
            amounts[i] = random.nextInt(100);
            amounts[0] -= amounts[i];
        }
        Session session = database.openSession();
        Transaction transaction = session.begin();
        Record row = table.newRecord();
        for (int i = 0; i < ids.length; i++) {
            add(transaction, table, row, ids[i], amounts[i], random.nextBoolean());
        }
        if (random.nextInt(4) == 0) {
            transaction.rollback();
        } else {
            transaction.commit();
            for (int i = 0; i < ids.length; i++) {
                expected.addAndGet(ids[i], amounts[i]);
            }
        }
        session.close();
    }

    /** Changes an account that nobody else asks for, twice, and does not commit. */
    private static void leaveOpen(Database database, Table table, int id, List<Session> open) {
        Session session = database.openSession();
        open.add(session);
        Transaction transaction = session.begin();
        Record row = table.newRecord();
        add(transaction, table, row, id, 7, true);
        add(transaction, table, row, id, 8, true);
    }

    private static long sum(Database database, Table table, TransactionOptions options) {
        return database.call(options, transaction -> {
            long sum = 0;
            Record row = table.newRecord();
            for (int id = 0; id < ACCOUNTS; id++) {
                assertTrue(transaction.fetch(table, table.newKey().add(id), row));
                sum += row.getLong(1);
            }
            return sum;
        });
    }

    private void check(Database database) {
        database.run(transaction -> {
            Table table = database.table("account");
            Record row = table.newRecord();
            for (int id = 0; id < ACCOUNTS; id++) {
                assertTrue(transaction.fetch(table, table.newKey().add(id), row));
                assertEquals(AMOUNT + expected.get(id), row.getLong(1), "id=" + id);
            }
        });
    }

    /** One whose teams are always on, and staged. */
    static Scheduler scheduler(SThreadKind kind, int carriers, boolean lending) {
        return new Scheduler(SchedulerOptions.defaults()
                .withKind(kind)
                .withCarriers(carriers)
                .withTeamMode(TeamMode.ON)
                .withTeamExecution(TeamExecution.STAGED)
                .withLendingOn(lending)
                .withSwitchPointsOn(true));
    }

    /** The machine stops at a write; each transaction is there whole or not at all, and all that were acknowledged. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 13, 21, 34, 55})
    void recoverFromACrashAtAWrite(int write) throws InterruptedException {
        FaultyStorage storage = new FaultyStorage(write);
        AtomicLongArray acknowledged = new AtomicLongArray(MEMBERS);
        try (Scheduler scheduler = scheduler(SThreadKind.CONTINUATION, 1, false)) {
            Database database = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, scheduler, LOG);
            Table table = filled(database);
            storage.crashAtChange(write);
            List<Runnable> members = new ArrayList<>();
            for (int member = 0; member < MEMBERS; member++) {
                int own = member;
                Random random = new Random(100L * write + member);
                members.add(() -> countTransfers(database, table, own, random, acknowledged));
            }
            TeamsTest.runTogether(scheduler, members);
            assertTrue(storage.isCrashed());
            storage.crash();
            database.abandon();
        }
        Database recovered = validated.track(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, LOG));
        Table table = recovered.table("account");
        assertEquals(ACCOUNTS * AMOUNT, sum(recovered, table, recovered.transactionOptions()));
        recovered.run(transaction -> {
            Record row = table.newRecord();
            for (int member = 0; member < MEMBERS; member++) {
                assertTrue(transaction.fetch(table, table.newKey().add(member), row));
                long found = row.getLong(1) - AMOUNT;
                long told = acknowledged.get(member);
                assertTrue(found == told || found == told + 1, "found=" + found + " acknowledged=" + told);
            }
        });
        validated.close(recovered);
    }

    /** Transfers of which each adds one to an account of its member, until the machine stops. */
    private static void countTransfers(
            Database database, Table table, int member, Random random, AtomicLongArray acknowledged) {
        Record row = table.newRecord();
        try {
            for (int i = 0; i < TRANSACTIONS; i++) {
                int from = MEMBERS + random.nextInt(ACCOUNTS - MEMBERS - 1);
                int to = from + 1 + random.nextInt(ACCOUNTS - from - 1);
                int amount = random.nextInt(100);
                database.run(transaction -> {
                    add(transaction, table, row, member, 1, true);
                    add(transaction, table, row, from, -1 - amount, false);
                    add(transaction, table, row, to, amount, true);
                });
                acknowledged.incrementAndGet(member);
            }
        } catch (LockstepException stopped) {
            assertTrue(database.instance().health().isFailed(), stopped::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({"VIRTUAL, 1, false", "CONTINUATION, 1, false", "CONTINUATION, 2, true"})
    void keepWhatWasCommitted(SThreadKind kind, int carriers, boolean lending) throws InterruptedException {
        FaultyStorage storage = new FaultyStorage(7);
        try (Scheduler scheduler = scheduler(kind, carriers, lending)) {
            Database database = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, scheduler, LOG);
            Table table = filled(database);
            List<Session> open = new CopyOnWriteArrayList<>();
            List<Runnable> members = new ArrayList<>();
            for (int member = 0; member < MEMBERS; member++) {
                int number = member;
                Random random = new Random(member);
                boolean isReader = member == 0;
                members.add(() -> {
                    for (int i = 0; i < TRANSACTIONS; i++) {
                        if (isReader) {
                            TransactionOptions options =
                                    database.transactionOptions().readOnlySnapshot();
                            assertEquals(ACCOUNTS * AMOUNT, sum(database, table, options));
                        } else {
                            transfer(database, table, random);
                        }
                    }
                    leaveOpen(database, table, number, open);
                });
            }
            TeamsTest.runTogether(scheduler, members);
            OperationStatistics updates = scheduler.statistics().stream()
                    .filter(each -> each.operation().equals("update account"))
                    .findAny()
                    .orElseThrow();
            // By a leader of their own, or with lending by one of the other carrier, as it happens to be idle.
            long together = updates.membersStaged() + updates.membersLent();
            assertTrue(together > MEMBERS * TRANSACTIONS / 2, updates::toString);
            assertEquals(updates.membersIn(), updates.membersOut() + updates.straysTotal(), updates::toString);
            // Durable with what the open transactions have logged before.
            database.run(transaction -> add(transaction, table, table.newRecord(), ACCOUNTS - 1, 0, true));
            assertEquals(MEMBERS, open.size());
            storage.crash();
            database.abandon();
        }
        Database recovered = validated.track(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, LOG));
        assertEquals(MEMBERS, recovered.instance().recoveryReport().loserCount());
        assertEquals(2 * MEMBERS, recovered.instance().recoveryReport().undoneRecordCount());
        check(recovered);
        validated.close(recovered);
    }
}
