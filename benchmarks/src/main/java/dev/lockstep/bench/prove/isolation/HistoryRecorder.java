package dev.lockstep.bench.prove.isolation;

import dev.lockstep.bench.prove.isolation.History.Executed;
import dev.lockstep.bench.prove.isolation.History.Read;
import dev.lockstep.bench.prove.isolation.History.Step;
import dev.lockstep.bench.prove.isolation.History.Write;
import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.DuplicateKeyException;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.RowBatch;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.engine.lock.LockFault;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.Scheduler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Runs transactions on a database of its own and records what they did and saw.
 *
 * <p>They work in a window of keys that moves on: a key at its upper end is not there yet, so that scans find gaps that
 * others fill; one at its lower end has been written a few times, or deleted. One transaction in ten is rolled back in
 * the end, and so are the victims of deadlocks; those are part of the history, since nobody may see what they wrote.
 * One in four only reads, from a snapshot: whatever the level of the others, it sees no more and no less than their
 * commits up to one point. In a history without one level each draws its own.
 *
 * <p>Who inserts a key does not see whether it was there before, and the order of its versions would be lost. So a key
 * that somebody has begun to delete is never inserted again: whoever finds after an insert that it was, rolls back.
 *
 * <p>Beside the transactions of a history on disk there is {@link Upkeep}; what its backups show is part of the
 * history.
 *
 * <p>Makes one history; its transactions run on many threads, each with a list of its own.
 */
public final class HistoryRecorder {
    static final String TABLE = "history";

    private static final int KEY = 0;
    private static final int REGISTER = 1;
    private static final int LIST = 2;

    /** The key once more, for the index. */
    private static final int KEY_INDEXED = 3;

    private static final String INDEX = "by_key";

    /** A key is written some four times while it is in the window; far fewer than this fit by chance alone. */
    private static final int ELEMENTS_MAX = 200;

    /** Room for the rows of any history that fits into the heap. */
    private static final long POOL_BYTES = 32L << 20;

    private static final int STEPS_MAX = 5;

    /** Three steps in ten write. */
    private static final int STEP_KINDS = 10;

    private static final int FIRST_READ = 3;
    private static final int SCAN_KEYS_MAX = 8;

    /** Transactions after which the window moves on by a key. */
    private static final int TRANSACTIONS_PER_KEY = 3;

    /** Smallest window: transactions meet, but half of them meet nobody. */
    private static final int WINDOW_MIN = 16;

    /** With so many threads for each key of the window, about one step in three waits. */
    private static final int THREADS_PER_KEY = 3;

    private static final int ONE_IN_ROLLED_BACK = 10;
    private static final int ONE_IN_GIVES_WAY = 2;
    private static final int ONE_IN_SNAPSHOT = 4;

    /** Of the writes: with some four for each key, about half of the keys are deleted in the end. */
    private static final int ONE_IN_DELETES = 6;

    /** No deadlock waits for this, and no transaction waits so long for others on a machine that does anything else. */
    private static final Duration LOCK_TIMEOUT = Duration.ofMinutes(2);

    private final HistorySpec spec;
    private final AtomicLong started = new AtomicLong();
    private final AtomicLong lastValue = new AtomicLong();
    private final Set<Integer> keysToDelete = ConcurrentHashMap.newKeySet();
    private final int windowKeys;

    private HistoryRecorder(HistorySpec spec) {
        this.spec = spec;
        windowKeys = Math.max(WINDOW_MIN, spec.threadCount() / THREADS_PER_KEY);
    }

    /**
     * Makes a history.
     *
     * @throws IOException if the directory of a database on disk cannot be used
     * @throws InterruptedException if this thread is interrupted
     * @throws IllegalStateException if a thread of it failed with anything but an error that the engine tells to retry
     */
    public static History record(HistorySpec spec) throws IOException, InterruptedException {
        return new HistoryRecorder(spec).record();
    }

    private History record() throws IOException, InterruptedException {
        try (Scheduler scheduler = spec.threads().newScheduler();
                Database database = LockFault.opening(spec.fault(), opening(scheduler))) {
            TableDefinition.Builder definition = TableDefinition.named(TABLE)
                    .column("key", ColumnType.int32())
                    .column("register", ColumnType.int64())
                    .column("list", ColumnType.binary(ELEMENTS_MAX * Long.BYTES))
                    .column("key_indexed", ColumnType.int32())
                    .primaryKey("key");
            if (spec.indexed()) {
                definition.index(INDEX, "key_indexed");
            }
            Table table = database.createTable(definition.build());
            List<Worker> workers = new ArrayList<>();
            SplittableRandom seeds = new SplittableRandom(spec.seed());
            for (int i = 0; i < spec.threadCount(); i++) {
                workers.add(new Worker(database, table, "t" + i, seeds.split()));
            }
            List<Executed> transactions = new ArrayList<>();
            long pagesMoved = 0;
            if (spec.directory().isPresent()) {
                Path home = spec.directory().get();
                Path backups = home.resolveSibling(home.getFileName() + "-backups");
                Upkeep upkeep = Upkeep.start(database, backups, HistoryRecorder::readAll);
                try {
                    run(scheduler, workers);
                } finally {
                    upkeep.end();
                }
                upkeep.backups().forEach(shown -> transactions.add(readOf(shown)));
                pagesMoved = upkeep.pagesMoved();
            } else {
                run(scheduler, workers);
            }
            workers.forEach(worker -> transactions.addAll(worker.executed));
            database.validate();
            return new History(transactions, readAll(database), pagesMoved, operationsStaged(scheduler));
        }
    }

    private static long operationsStaged(Scheduler schedulerOrNull) {
        return schedulerOrNull == null
                ? 0
                : schedulerOrNull.statistics().stream()
                        .mapToLong(OperationStatistics::membersStaged)
                        .sum();
    }

    private void run(Scheduler scheduler, List<Worker> workers) throws InterruptedException {
        spec.threads()
                .run(scheduler, spec.threadCount(), index -> workers.get(index).run());
    }

    /** A backup shows all rows as they were at one moment, like one scan of a snapshot. */
    private Executed readOf(Map<Integer, long[]> shown) {
        int keysEnd = (int) (started.get() / TRANSACTIONS_PER_KEY) + windowKeys + SCAN_KEYS_MAX;
        List<Step> reads = new ArrayList<>();
        for (int key = 0; key < keysEnd; key++) {
            reads.add(new Read(key, shown.getOrDefault(key, History.NOTHING), 1, 0));
        }
        return new Executed(History.BACKUP, Isolation.SERIALIZABLE, true, reads);
    }

    private DatabaseOptions options() {
        DatabaseOptions.Builder options = DatabaseOptions.builder().poolBytes(POOL_BYTES);
        return spec.directory().isPresent()
                ? options.createIfMissing(true).durability(Durability.SYNC).build()
                : options.durability(Durability.NONE).build();
    }

    private Supplier<Database> opening(Scheduler scheduler) {
        return () -> spec.directory().isPresent()
                ? Database.open(spec.directory().get(), options(), scheduler)
                : Database.inMemory(options(), scheduler);
    }

    private static Map<Integer, long[]> readAll(Database database) {
        Table table = database.table(TABLE);
        return database.call(transaction -> {
            Map<Integer, long[]> all = new HashMap<>();
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    all.put(row.getInt(KEY), contents(row));
                }
            }
            return all;
        });
    }

    private static long[] contents(Record row) {
        if (!History.isList(row.getInt(KEY))) {
            return new long[] {row.getLong(REGISTER)};
        }
        byte[] bytes = row.getBytes(LIST);
        long[] elements = new long[bytes.length / Long.BYTES];
        ByteBuffer.wrap(bytes).asLongBuffer().get(elements);
        return elements;
    }

    /** One thread of the history. */
    private final class Worker {
        private final Database database;
        private final Table table;
        private final String name;
        private final SplittableRandom random;
        private final Record row;
        private final RowBatch batch;
        private final List<Executed> executed = new ArrayList<>();
        private int scans;
        private int batches;
        private boolean spoiled;
        private boolean throughIndex;

        Worker(Database database, Table table, String name, SplittableRandom random) {
            this.database = database;
            this.table = table;
            this.name = name;
            this.random = random;
            row = table.newRecord();
            batch = table.newBatch(SCAN_KEYS_MAX);
        }

        void run() {
            Isolation[] levels = Isolation.values();
            TransactionOptions options = TransactionOptions.of(options()).withLockTimeout(LOCK_TIMEOUT);
            TransactionOptions snapshot = options.readOnlySnapshot();
            try (Session session = database.openSession()) {
                for (int i = 0; i < spec.transactionsPerThread(); i++) {
                    boolean onlyReads = random.nextInt(ONE_IN_SNAPSHOT) == 0;
                    Isolation drawn = levels[random.nextInt(levels.length)];
                    Isolation level =
                            onlyReads ? Isolation.SERIALIZABLE : spec.level().orElse(drawn);
                    execute(session.begin(onlyReads ? snapshot : options.withIsolation(level)), level, onlyReads);
                    spec.threads().giveWay();
                }
            }
        }

        private void execute(Transaction transaction, Isolation level, boolean onlyReads) {
            List<Step> steps = new ArrayList<>();
            boolean committed = false;
            int firstKey = (int) (started.getAndIncrement() / TRANSACTIONS_PER_KEY);
            scans = 0;
            batches = 0;
            spoiled = false;
            try {
                int count = 1 + random.nextInt(STEPS_MAX);
                for (int i = 0; i < count; i++) {
                    step(transaction, firstKey + random.nextInt(windowKeys), onlyReads, steps);
                    if (random.nextInt(ONE_IN_GIVES_WAY) == 0) {
                        spec.threads().giveWay();
                    }
                }
                if (random.nextInt(ONE_IN_ROLLED_BACK) != 0 && !spoiled) {
                    transaction.commit();
                    committed = true;
                }
            } catch (LockstepException failure) {
                if (!failure.isRetryable()) {
                    throw failure;
                }
            } finally {
                transaction.rollback();
            }
            executed.add(new Executed(name + ", " + (onlyReads ? "snapshot" : level), level, committed, steps));
        }

        private void step(Transaction transaction, int key, boolean onlyReads, List<Step> steps) {
            switch (random.nextInt(onlyReads ? FIRST_READ : 0, STEP_KINDS)) {
                case 0, 1, 2 -> write(transaction, key, steps);
                case 3, 4 -> scan(transaction, key, steps);
                case 5 -> fetchTogether(transaction, key, steps);
                default -> {
                    boolean found = transaction.fetch(table, table.newKey().add(key), row);
                    steps.add(new Read(key, found ? contents(row) : History.NOTHING, 0, 0));
                }
            }
        }

        private void fetchTogether(Transaction transaction, int key, List<Step> steps) {
            batch.clear();
            int count = 1 + random.nextInt(SCAN_KEYS_MAX);
            for (int i = 0; i < count; i++) {
                batch.addKey().add(key + i);
            }
            transaction.fetch(table, batch);
            batches++;
            for (int i = 0; i < count; i++) {
                steps.add(new Read(key + i, batch.found(i) ? contents(batch.record(i)) : History.NOTHING, 0, batches));
            }
        }

        private void scan(Transaction transaction, int from, List<Step> steps) {
            throughIndex = spec.indexed() && random.nextBoolean();
            int to = from + 1 + random.nextInt(SCAN_KEYS_MAX);
            boolean backward = random.nextBoolean();
            boolean inBatches = random.nextBoolean();
            TreeMap<Integer, long[]> found = new TreeMap<>();
            try (Cursor cursor = scan(transaction).from(bound(from)).before(bound(to))) {
                if (backward) {
                    cursor.backward();
                }
                if (inBatches) {
                    // Ends with the range.
                    while (cursor.next(batch) > 0) {
                        for (int i = 0; i < batch.size(); i++) {
                            found.put(batch.record(i).getInt(KEY), contents(batch.record(i)));
                        }
                    }
                } else {
                    while (cursor.next(row)) {
                        found.put(row.getInt(KEY), contents(row));
                    }
                }
            }
            scans++;
            // Rows to which entries of an index lead are fetched like those of a batch.
            boolean sideBySide = throughIndex && inBatches;
            batches += sideBySide ? 1 : 0;
            for (int i = from; i < to; i++) {
                int key = backward ? from + to - 1 - i : i;
                steps.add(new Read(key, found.getOrDefault(key, History.NOTHING), scans, sideBySide ? batches : 0));
            }
        }

        private Cursor scan(Transaction transaction) {
            return throughIndex ? transaction.scan(table, INDEX) : transaction.scan(table);
        }

        private Key bound(int key) {
            return (throughIndex ? table.newIndexKey(INDEX) : table.newKey()).add(key);
        }

        private void write(Transaction transaction, int key, List<Step> steps) {
            boolean exists = transaction.fetchForUpdate(table, table.newKey().add(key), row);
            if (!exists && !insert(transaction, key, steps)) {
                // Somebody was faster where a key that is missing is not locked by asking for it.
                exists = transaction.fetchForUpdate(table, table.newKey().add(key), row);
            }
            if (exists) {
                long[] seen = contents(row);
                boolean deletes = random.nextInt(ONE_IN_DELETES) == 0;
                if (deletes || seen.length < ELEMENTS_MAX) {
                    Write write = new Write(key, seen, lastValue.incrementAndGet(), deletes);
                    steps.add(write);
                    if (deletes) {
                        keysToDelete.add(key);
                        transaction.delete(table, row);
                    } else {
                        fill(write);
                        transaction.update(table, row);
                    }
                }
            }
        }

        /** Makes a key that was not there; false if it is there by now. Leaves out one that may have been deleted. */
        private boolean insert(Transaction transaction, int key, List<Step> steps) {
            if (keysToDelete.contains(key)) {
                return true;
            }
            Write write = new Write(key, History.NOTHING, lastValue.incrementAndGet(), false);
            row.clear();
            row.setInt(KEY, key);
            row.setInt(KEY_INDEXED, key);
            fill(write);
            try {
                steps.add(write);
                transaction.insert(table, row);
                spoiled |= keysToDelete.contains(key);
                return true;
            } catch (DuplicateKeyException taken) {
                steps.removeLast();
                return false;
            }
        }

        private void fill(Write write) {
            row.setLong(REGISTER, write.written());
            int before = History.isList(write.key()) ? write.seen().length : 0;
            ByteBuffer bytes = ByteBuffer.allocate((before + 1) * Long.BYTES);
            for (int i = 0; i < before; i++) {
                bytes.putLong(write.seen()[i]);
            }
            bytes.putLong(write.written());
            row.setBytes(LIST, bytes.array(), 0, bytes.capacity());
        }
    }
}
