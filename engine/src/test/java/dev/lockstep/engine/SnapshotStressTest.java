package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Snapshots in threads beside writers in threads. Each transaction adds one to its writer's count and to the count of
 * all, and moves its writer's token to the next place: so in every state that was ever committed the counts add up, and
 * there is one token for each writer, where the writer's count says. Every snapshot has to be such a state.
 */
class SnapshotStressTest {
    private static final int AMOUNT = 2;
    private static final int WRITERS = 3;
    private static final int READERS = 2;
    private static final int TRANSACTIONS = 400;
    private static final int IDLE_SESSIONS = 2_000;
    private static final int ALL = 0;
    private static final int FIRST_TOKEN = 1_000;
    private static final int PLACES = 7;
    private static final int LONG_NAME_BYTES = 5_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private final AtomicInteger writersLeft = new AtomicInteger();
    private final AtomicInteger readersLeft = new AtomicInteger();

    /** Snapshots that were checked when writers had committed, and had not all ended. */
    private final AtomicInteger checkedBesideWriters = new AtomicInteger();

    private Database database;
    private Table table;

    private void fill() {
        table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            DatabaseTest.put(transaction, table, row, ALL, "all", 0);
            for (int writer = 1; writer <= WRITERS; writer++) {
                DatabaseTest.put(transaction, table, row, writer, "count", 0);
                DatabaseTest.put(transaction, table, row, token(writer, 0), "token", 0);
            }
        });
        writersLeft.set(WRITERS);
        readersLeft.set(READERS);
        checkedBesideWriters.set(0);
    }

    private static int token(int writer, long count) {
        return FIRST_TOKEN * writer + (int) (count % PLACES);
    }

    private List<Runnable> bodies(long seed) {
        List<Runnable> bodies = new ArrayList<>();
        for (int writer = 1; writer <= WRITERS; writer++) {
            int number = writer;
            bodies.add(() -> write(number, new SplittableRandom(seed * 100 + number)));
        }
        for (int reader = 0; reader < READERS; reader++) {
            bodies.add(this::read);
        }
        return bodies;
    }

    private void write(int writer, SplittableRandom random) {
        try (Session session = database.openSession()) {
            Record row = table.newRecord();
            long count = 0;
            for (int i = 0; i < TRANSACTIONS || isReaderToCome(); i++) {
                Transaction transaction =
                        session.begin(database.transactionOptions().withIsolation(Isolation.READ_COMMITTED));
                boolean countsAllFirst = random.nextBoolean();
                if (countsAllFirst) {
                    add(transaction, row, ALL);
                }
                add(transaction, row, writer);
                moveToken(transaction, row, writer, count, random);
                if (!countsAllFirst) {
                    add(transaction, row, ALL);
                }
                if (random.nextInt(5) == 0) {
                    transaction.rollback();
                } else {
                    transaction.commit();
                    count++;
                    requireSeen(session, row, writer, count);
                }
            }
        } finally {
            writersLeft.decrementAndGet();
        }
    }

    /** Whether no snapshot was checked beside writers, and one may be yet. */
    private boolean isReaderToCome() {
        return checkedBesideWriters.get() == 0 && readersLeft.get() > 0;
    }

    /**
     * What was answered is seen by every snapshot that begins later, but where it is answered before it is durable and
     * snapshots are of what is.
     */
    private void requireSeen(Session session, Record row, int writer, long count) {
        DatabaseOptions options = database.instance().options();
        boolean mayLag = options.durableSnapshots() && options.durability() == Durability.ASYNC;
        Transaction seen = session.begin(database.transactionOptions().readOnlySnapshot());
        assertTrue(seen.fetch(table, table.newKey().add(writer), row));
        long amount = row.getLong(AMOUNT);
        assertTrue(mayLag ? amount <= count : amount == count, () -> "amount=" + amount + " count=" + count);
        seen.commit();
    }

    private void add(Transaction transaction, Record row, int id) {
        assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
        row.setLong(AMOUNT, row.getLong(AMOUNT) + 1);
        assertTrue(transaction.update(table, row));
    }

    private void moveToken(Transaction transaction, Record row, int writer, long count, SplittableRandom random) {
        assertTrue(transaction.delete(table, table.newKey().add(token(writer, count))));
        Savepoint between = transaction.savepoint();
        String name = random.nextInt(4) == 0 ? "t".repeat(LONG_NAME_BYTES) : "token";
        DatabaseTest.put(transaction, table, row, token(writer, count + 1), name, count + 1);
        if (random.nextInt(4) == 0) {
            transaction.rollbackTo(between);
            DatabaseTest.put(transaction, table, row, token(writer, count + 1), "token", count + 1);
        }
    }

    private void read() {
        try (Session session = database.openSession()) {
            Record row = table.newRecord();
            boolean last;
            do {
                last = writersLeft.get() == 0;
                Transaction seen = session.begin(database.transactionOptions().readOnlySnapshot());
                long[] counts = counts(seen, row);
                requireTokens(seen, row, counts);
                assertEquals(0, session.core().context().lockOwner().heldCount());
                seen.commit();
                if (counts[ALL] > 0 && writersLeft.get() > 0) {
                    checkedBesideWriters.incrementAndGet();
                }
            } while (!last);
        } finally {
            readersLeft.decrementAndGet();
        }
    }

    private long[] counts(Transaction seen, Record row) {
        long[] counts = new long[WRITERS + 1];
        long sum = 0;
        for (int id = WRITERS; id >= 0; id--) {
            assertTrue(seen.fetch(table, table.newKey().add(id), row));
            counts[id] = row.getLong(AMOUNT);
            sum += id == ALL ? 0 : counts[id];
        }
        assertEquals(sum, counts[ALL], "the sum of the writers' counts, and the count of all");
        return counts;
    }

    private void requireTokens(Transaction seen, Record row, long[] counts) {
        for (boolean backward : new boolean[] {false, true}) {
            List<Integer> tokens = new ArrayList<>();
            try (Cursor cursor = seen.scan(table).from(table.newKey().add(FIRST_TOKEN))) {
                if (backward) {
                    cursor.backward();
                }
                while (cursor.next(row)) {
                    tokens.add(row.getInt(0));
                }
            }
            List<Integer> expected = new ArrayList<>();
            for (int writer = 1; writer <= WRITERS; writer++) {
                expected.add(token(writer, counts[writer]));
            }
            assertEquals(backward ? expected.reversed() : expected, tokens);
        }
        for (int writer = 1; writer <= WRITERS; writer++) {
            int found = 0;
            Key amount = table.newIndexKey("by_amount").add(counts[writer]);
            try (Cursor cursor = seen.scan(table, "by_amount").within(amount)) {
                while (cursor.next(row)) {
                    assertEquals(counts[writer], row.getLong(AMOUNT));
                    found += row.getInt(0) == token(writer, counts[writer]) ? 1 : 0;
                }
            }
            assertEquals(1, found, "tokens found by the index");
        }
    }

    private void runInThreads(long seed) throws InterruptedException {
        List<Worker> workers = new ArrayList<>();
        for (Runnable body : bodies(seed)) {
            workers.add(new Worker(body));
        }
        for (Worker worker : workers) {
            worker.join();
        }
        for (Worker worker : workers) {
            assertNull(worker.failure(), () -> String.valueOf(worker.failure()));
        }
    }

    private void requireDone() {
        assertTrue(checkedBesideWriters.get() > 0);
        TransactionTable transactions = database.instance().transactions();
        assertEquals(0, transactions.snapshotStatistics().openSnapshots());
    }

    /** A snapshot asks every session who has ended, one after the other: transactions end in between. */
    @Test
    void everySnapshotInThreadsIsAStateThatWasCommitted() {
        Seeds.each(2, seed -> {
            database = validated.inMemory();
            fill();
            List<Session> idle = new ArrayList<>();
            for (int i = 0; i < IDLE_SESSIONS; i++) {
                idle.add(database.openSession());
            }
            runInThreads(seed);
            idle.forEach(Session::close);
            requireDone();
            validated.close(database);
        });
    }

    @ParameterizedTest
    @CsvSource({"SYNC, false", "SYNC, true", "ASYNC, false", "ASYNC, true"})
    void everySnapshotBesideLoggedCommitsIsAStateThatWasCommitted(Durability durability, boolean durableSnapshots) {
        Seeds.each(1, seed -> {
            Path own = Files.createDirectory(directory.resolve("seed" + seed));
            DatabaseOptions options = ValidatedDatabase.SMALLEST.toBuilder()
                    .durability(durability)
                    .durableSnapshots(durableSnapshots)
                    .build();
            database = validated.open(own, options, null);
            assertEquals(durability, database.transactionOptions().durability());
            assertEquals(durableSnapshots, database.instance().options().durableSnapshots());
            fill();
            // Else the first snapshots could be of the time before.
            database.checkpoint();
            runInThreads(seed);
            requireDone();
            validated.close(database);
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void everySnapshotInSThreadsIsAStateThatWasCommitted(SThreadKind kind) throws InterruptedException {
        SchedulerOptions options =
                SchedulerOptions.defaults().withKind(kind).withCarriers(2).withSwitchPointsOn(true);
        try (Scheduler scheduler = new Scheduler(options)) {
            database = validated.inMemory(
                    DatabaseOptions.builder().poolBytes(32 << 20).build(), scheduler);
            fill();
            List<SThread> started = new ArrayList<>();
            for (Runnable body : bodies(1)) {
                started.add(scheduler.start("member-" + started.size(), started.size() % 2, body));
            }
            scheduler.awaitTermination();
            for (SThread sThread : started) {
                assertNull(sThread.failure(), () -> String.valueOf(sThread.failure()));
            }
            requireDone();
        }
    }
}
