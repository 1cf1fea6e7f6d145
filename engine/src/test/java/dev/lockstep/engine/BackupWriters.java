package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that change a table each in rows of its own, in transactions that a seed determines, so that the state after
 * each of them can be computed. Each transaction also counts itself in a row of its thread: a copy of the database says
 * by it which transactions it has, and must then hold exactly what these leave.
 */
final class BackupWriters {
    private static final String TABLE = "kept";
    private static final String COUNTS = "counts";
    private static final int ROWS_PER_WRITER = 400;
    private static final int CHANGES_MAX = 12;

    /** Every eighth value goes to overflow pages. */
    private static final int LONG_VALUE = 5_000;

    private final long seed;
    private final int writerCount;
    private final List<AtomicLong> acknowledged = new ArrayList<>();
    private volatile boolean stopping;
    private volatile Throwable failure;
    private final List<Thread> threads = new ArrayList<>();

    BackupWriters(long seed, int writerCount) {
        this.seed = seed;
        this.writerCount = writerCount;
        for (int i = 0; i < writerCount; i++) {
            acknowledged.add(new AtomicLong());
        }
    }

    void createTables(Database database) {
        database.createTable(TableDefinition.named(TABLE)
                .column("id", ColumnType.int32())
                .column("kind", ColumnType.int32())
                .column("payload", ColumnType.string(LONG_VALUE))
                .primaryKey("id")
                .index("by_kind", "kind", "id")
                .build());
        database.createTable(TableDefinition.named(COUNTS)
                .column("writer", ColumnType.int32())
                .column("count", ColumnType.int64())
                .primaryKey("writer")
                .build());
    }

    void start(Database database) {
        for (int i = 0; i < writerCount; i++) {
            int writer = i;
            threads.add(Thread.ofVirtual().name("writer-" + i).start(() -> write(database, writer)));
        }
    }

    private void write(Database database, int writer) {
        try {
            Model model = new Model(writer);
            model.runTo(acknowledged.get(writer).get());
            while (!stopping) {
                transact(database, model);
            }
        } catch (Throwable t) {
            failure = t;
        }
    }

    /** Runs the next transaction of each writer on this thread. */
    void runEach(Database database, int count) {
        for (int writer = 0; writer < writerCount; writer++) {
            Model model = new Model(writer);
            model.runTo(acknowledged.get(writer).get());
            for (int i = 0; i < count; i++) {
                transact(database, model);
            }
        }
    }

    private void transact(Database database, Model model) {
        Map<Integer, String> before = new TreeMap<>(model.rows);
        model.next();
        database.run(transaction -> {
            apply(database, transaction, before, model.rows);
            count(database, transaction, model.writer, model.count);
        });
        acknowledged.get(model.writer).set(model.count);
    }

    private static void apply(
            Database database, Transaction transaction, Map<Integer, String> before, Map<Integer, String> after) {
        Table table = database.table(TABLE);
        Record row = table.newRecord();
        for (Map.Entry<Integer, String> entry : before.entrySet()) {
            if (!after.containsKey(entry.getKey())) {
                assertTrue(transaction.delete(table, table.newKey().add(entry.getKey())));
            }
        }
        for (Map.Entry<Integer, String> entry : after.entrySet()) {
            String old = before.get(entry.getKey());
            if (entry.getValue().equals(old)) {
                continue;
            }
            if (old == null) {
                row.setInt(0, entry.getKey());
                fill(row, entry.getValue());
                transaction.insert(table, row);
            } else {
                assertTrue(transaction.fetch(table, table.newKey().add(entry.getKey()), row));
                fill(row, entry.getValue());
                transaction.update(table, row);
            }
        }
    }

    private static void fill(Record row, String payload) {
        row.setInt(1, payload.length() % 7);
        row.setString(2, payload);
    }

    private static void count(Database database, Transaction transaction, int writer, long count) {
        Table counts = database.table(COUNTS);
        Record row = counts.newRecord();
        if (transaction.fetch(counts, counts.newKey().add(writer), row)) {
            row.setLong(1, count);
            transaction.update(counts, row);
        } else {
            row.setInt(0, writer);
            row.setLong(1, count);
            transaction.insert(counts, row);
        }
    }

    /** Waits until a writer has been answered so often. */
    void awaitTransactions(long count) {
        while (acknowledged.getFirst().get() < count) {
            if (failure != null) {
                throw new AssertionError("a writer failed, seed=" + seed, failure);
            }
            Thread.yield();
        }
    }

    /** Ends the threads and tells what one of them failed with. */
    void stop() throws InterruptedException {
        stopping = true;
        for (Thread thread : threads) {
            thread.join();
        }
        threads.clear();
        stopping = false;
        if (failure != null) {
            throw new AssertionError("a writer failed, seed=" + seed, failure);
        }
    }

    /** How many transactions of each writer have been answered. */
    long[] acknowledged() {
        return acknowledged.stream().mapToLong(AtomicLong::get).toArray();
    }

    /** Requires what whole transactions leave, at least so many of each writer; returns how many there are. */
    long[] requireState(Database database, long[] atLeast) {
        Map<Integer, String> found = new TreeMap<>();
        long[] counts = new long[writerCount];
        database.run(transaction -> {
            Table table = database.table(TABLE);
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    found.put(row.getInt(0), row.getString(2));
                }
            }
            Table counted = database.table(COUNTS);
            Record count = counted.newRecord();
            for (int writer = 0; writer < writerCount; writer++) {
                if (transaction.fetch(counted, counted.newKey().add(writer), count)) {
                    counts[writer] = count.getLong(1);
                }
            }
        });
        Map<Integer, String> expected = new TreeMap<>();
        for (int writer = 0; writer < writerCount; writer++) {
            assertTrue(
                    counts[writer] >= atLeast[writer],
                    "writer " + writer + " has " + counts[writer] + " of " + atLeast[writer] + ", seed=" + seed);
            Model model = new Model(writer);
            model.runTo(counts[writer]);
            expected.putAll(model.rows);
        }
        assertEquals(expected, found, "seed=" + seed);
        return counts;
    }

    /** The rows of one writer after any number of its transactions. */
    private final class Model {
        private final int writer;
        private final Random random;
        private final Map<Integer, String> rows = new TreeMap<>();
        private long count;

        Model(int writer) {
            this.writer = writer;
            random = new Random(seed * 31 + writer);
        }

        void runTo(long wantedCount) {
            while (count < wantedCount) {
                next();
            }
        }

        void next() {
            count++;
            int changes = 1 + random.nextInt(CHANGES_MAX);
            for (int i = 0; i < changes; i++) {
                int id = writer * ROWS_PER_WRITER + random.nextInt(ROWS_PER_WRITER);
                if (random.nextInt(3) == 0) {
                    rows.remove(id);
                } else {
                    int length = random.nextInt(8) == 0 ? LONG_VALUE - random.nextInt(100) : random.nextInt(300);
                    rows.put(id, Character.toString('a' + random.nextInt(26)).repeat(length));
                }
            }
        }
    }
}
