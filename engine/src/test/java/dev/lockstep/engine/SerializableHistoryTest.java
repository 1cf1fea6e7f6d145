package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Threads of every kind run serializable transactions over few keys. Each takes a number as its last act, while it
 * holds all its locks; executing the transactions one after the other in that order has to give what each of them saw.
 * A seed fixes what each thread asks for; how the threads meet differs from run to run.
 */
class SerializableHistoryTest {
    private static final int THREADS = 6;
    private static final int STEPS_MAX = 6;

    /** Amounts that a row can have, none of them that of another row: few, so that ranges get entries again. */
    private static final int AMOUNTS = 64;

    /** Some eight rows fill a leaf: ranges cross leaves, and leaves split and merge all the time. */
    private static final int NAME_LENGTH = 900;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    @Test
    void platformThreads() {
        Seeds.each(3, seed -> inMemory(seed, null));
    }

    @Test
    void virtualThreads() {
        Seeds.each(3, seed -> {
            Run run = new Run(validated.inMemory(), seed, 40, 600);
            run.start(body -> Thread.ofVirtual().start(body));
            run.check();
        });
    }

    @Test
    void virtualSThreadsOnOneCarrier() {
        Seeds.each(2, seed -> inMemory(seed, scheduler(SThreadKind.VIRTUAL, 1)));
    }

    @Test
    void virtualSThreadsOnTwoCarriers() {
        Seeds.each(2, seed -> inMemory(seed, scheduler(SThreadKind.VIRTUAL, 2)));
    }

    @Test
    void continuationSThreadsOnOneCarrier() {
        Seeds.each(2, seed -> inMemory(seed, scheduler(SThreadKind.CONTINUATION, 1)));
    }

    @Test
    void continuationSThreadsOnTwoCarriers() {
        Seeds.each(2, seed -> inMemory(seed, scheduler(SThreadKind.CONTINUATION, 2)));
    }

    /** The pool holds a third of the rows: operations wait for pages and start again where one was evicted. */
    @Test
    void aPoolMuchSmallerThanTheDatabase() {
        Seeds.each(1, seed -> onDisk(seed, null));
    }

    @Test
    void aPoolMuchSmallerThanTheDatabaseWithTeams() {
        Seeds.each(1, seed -> onDisk(seed, scheduler(SThreadKind.VIRTUAL, 2)));
    }

    private static SchedulerOptions scheduler(SThreadKind kind, int carriers) {
        return SchedulerOptions.defaults()
                .withKind(kind)
                .withCarriers(carriers)
                .withTeamMode(TeamMode.ON)
                .withSwitchPointsOn(true);
    }

    private void inMemory(long seed, SchedulerOptions options) throws Exception {
        if (options == null) {
            Run run = new Run(validated.inMemory(), seed, 40, 600);
            run.start(body -> Thread.ofPlatform().start(body));
            run.check();
            return;
        }
        try (Scheduler scheduler = new Scheduler(options)) {
            DatabaseOptions small =
                    DatabaseOptions.builder().poolBytes(32 << 20).build();
            Run run = new Run(validated.inMemory(small, scheduler), seed, 40, 600);
            run.startOn(scheduler);
            run.check();
        }
    }

    private void onDisk(long seed, SchedulerOptions options) throws Exception {
        DatabaseOptions small = DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .durability(Durability.ASYNC)
                .build();
        Path own = Files.createDirectory(directory.resolve("seed" + seed));
        Scheduler scheduler = options == null ? null : new Scheduler(options);
        try {
            Run run = new Run(validated.open(own, small, scheduler), seed, 4_000, 400);
            if (scheduler == null) {
                run.start(body -> Thread.ofPlatform().start(body));
            } else {
                run.startOn(scheduler);
            }
            run.check();
            assertTrue(run.database.statistics().evictions() > 0);
        } finally {
            if (scheduler != null) {
                scheduler.close();
            }
        }
    }

    /** What a transaction did and saw; {@code seen} holds ids and values of the rows. */
    private record Step(Kind kind, int id, int toId, long value, List<Long> seen) {}

    private enum Kind {
        FETCH,
        UPDATE,
        INSERT,
        DELETE,
        SCAN,
        SCAN_BACKWARD,
        SCAN_INDEX
    }

    private record Committed(long order, List<Step> steps) {}

    private static final class Run {
        private final Database database;
        private final Table table;
        private final long seed;
        private final int ids;
        private final int transactions;
        private final AtomicLong order = new AtomicLong();
        private final Queue<Committed> history = new ConcurrentLinkedQueue<>();
        private final NavigableMap<Integer, Long> model = new TreeMap<>();

        Run(Database database, long seed, int ids, int transactions) {
            this.database = database;
            this.seed = seed;
            this.ids = ids;
            this.transactions = transactions;
            table = database.createTable(TableDefinition.named("account")
                    .column("id", ColumnType.int32())
                    .column("name", ColumnType.string(NAME_LENGTH))
                    .column("amount", ColumnType.int64())
                    .primaryKey("id")
                    .index("by_amount", "amount")
                    .build());
            database.run(transaction -> {
                Record row = table.newRecord();
                for (int id = 0; id < ids; id += 2) {
                    long value = value(id, id / 2);
                    put(transaction, row, id, value);
                    model.put(id, value);
                }
            });
        }

        private long value(int id, int amount) {
            return (long) amount % AMOUNTS * ids + id;
        }

        private void put(Transaction transaction, Record row, int id, long value) {
            DatabaseTest.put(transaction, table, row, id, "n".repeat(NAME_LENGTH), value);
        }

        void start(Consumer<Runnable> starter) throws Exception {
            List<FutureTask<Void>> tasks = new ArrayList<>();
            SplittableRandom seeds = new SplittableRandom(seed);
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = seeds.split();
                FutureTask<Void> task = new FutureTask<>(() -> work(random), null);
                tasks.add(task);
                starter.accept(task);
            }
            for (FutureTask<Void> task : tasks) {
                task.get();
            }
        }

        void startOn(Scheduler scheduler) throws Exception {
            SplittableRandom seeds = new SplittableRandom(seed);
            List<SThread> sThreads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = seeds.split();
                sThreads.add(scheduler.start("worker-" + i, -1, () -> work(random)));
            }
            scheduler.awaitTermination();
            for (SThread sThread : sThreads) {
                if (sThread.failure() != null) {
                    throw new AssertionError(sThread.name(), sThread.failure());
                }
            }
        }

        private void work(SplittableRandom random) {
            TransactionOptions options = database.transactionOptions()
                    .withIsolation(Isolation.SERIALIZABLE)
                    .withRetries(TransactionOptions.RETRY_COUNT_MAX);
            try (Session session = database.openSession()) {
                Record row = table.newRecord();
                for (int i = 0; i < transactions; i++) {
                    history.add(session.call(options, transaction -> transaction(transaction, random, row)));
                }
            }
        }

        private Committed transaction(Transaction transaction, SplittableRandom random, Record row) {
            List<Step> steps = new ArrayList<>();
            int count = 1 + random.nextInt(STEPS_MAX);
            Kind[] kinds = Kind.values();
            for (int i = 0; i < count; i++) {
                Kind kind = kinds[random.nextInt(kinds.length)];
                int id = random.nextInt(ids);
                int toId = Math.min(ids, id + random.nextInt(24));
                long value = value(id, random.nextInt(AMOUNTS));
                steps.add(new Step(kind, id, toId, value, execute(transaction, kind, id, toId, value, row)));
            }
            return new Committed(order.getAndIncrement(), steps);
        }

        private List<Long> execute(Transaction transaction, Kind kind, int id, int toId, long value, Record row) {
            List<Long> seen = new ArrayList<>();
            Key key = table.newKey().add(id);
            switch (kind) {
                case FETCH -> {
                    if (transaction.fetch(table, key, row)) {
                        seen.add(row.getLong(2));
                    }
                }
                case UPDATE -> {
                    if (transaction.fetchForUpdate(table, key, row)) {
                        seen.add(row.getLong(2));
                        row.setLong(2, value);
                        assertTrue(transaction.update(table, row));
                    }
                }
                case INSERT -> {
                    try {
                        put(transaction, row, id, value);
                        seen.add(value);
                    } catch (DuplicateKeyException taken) {
                        assertTrue(taken.getMessage().contains("key="), taken.getMessage());
                    }
                }
                case DELETE -> {
                    if (transaction.delete(table, key)) {
                        seen.add((long) id);
                    }
                }
                case SCAN, SCAN_BACKWARD -> {
                    try (Cursor cursor = transaction
                            .scan(table)
                            .from(key)
                            .before(table.newKey().add(toId))) {
                        if (kind == Kind.SCAN_BACKWARD) {
                            cursor.backward();
                        }
                        read(cursor, row, seen);
                    }
                }
                case SCAN_INDEX -> {
                    try (Cursor cursor = transaction
                            .scan(table, "by_amount")
                            .from(table.newIndexKey("by_amount").add(value))
                            .before(table.newIndexKey("by_amount").add(endOfValues(value, id, toId)))) {
                        read(cursor, row, seen);
                    }
                }
            }
            return seen;
        }

        /** There are about as many rows in a range of values as in one of ids. */
        private static long endOfValues(long value, int id, int toId) {
            return value + (long) (toId - id) * AMOUNTS;
        }

        private static void read(Cursor cursor, Record row, List<Long> seen) {
            while (cursor.next(row)) {
                seen.add((long) row.getInt(0));
                seen.add(row.getLong(2));
            }
        }

        /** Executes the history serially, and compares what each step saw, and the end. */
        void check() {
            List<Committed> serial = new ArrayList<>(history);
            serial.sort(Comparator.comparingLong(Committed::order));
            assertEquals(THREADS * transactions, serial.size());
            for (Committed committed : serial) {
                for (Step step : committed.steps) {
                    assertEquals(executeSerially(step), step.seen, () -> "in " + committed);
                }
            }
            NavigableMap<Integer, Long> actual = new TreeMap<>();
            database.run(transaction -> {
                Record row = table.newRecord();
                try (Cursor cursor = transaction.scan(table)) {
                    while (cursor.next(row)) {
                        actual.put(row.getInt(0), row.getLong(2));
                    }
                }
            });
            assertEquals(model, actual);
            requireFoundByIndex(serial);
        }

        /** Ranges of the index that hold nothing would say little. */
        private static void requireFoundByIndex(List<Committed> serial) {
            List<Step> scans = serial.stream()
                    .flatMap(committed -> committed.steps.stream())
                    .filter(step -> step.kind == Kind.SCAN_INDEX)
                    .toList();
            long found = scans.stream().filter(scan -> !scan.seen.isEmpty()).count();
            assertTrue(found > scans.size() / 3, () -> "found=" + found + " of=" + scans.size());
        }

        private List<Long> executeSerially(Step step) {
            List<Long> seen = new ArrayList<>();
            Long present = model.get(step.id);
            switch (step.kind) {
                case FETCH -> {
                    if (present != null) {
                        seen.add(present);
                    }
                }
                case UPDATE -> {
                    if (present != null) {
                        seen.add(present);
                        model.put(step.id, step.value);
                    }
                }
                case INSERT -> {
                    if (present == null) {
                        seen.add(step.value);
                        model.put(step.id, step.value);
                    }
                }
                case DELETE -> {
                    if (model.remove(step.id) != null) {
                        seen.add((long) step.id);
                    }
                }
                case SCAN, SCAN_BACKWARD -> {
                    NavigableMap<Integer, Long> range = model.subMap(step.id, true, step.toId, false);
                    range = step.kind == Kind.SCAN ? range : range.descendingMap();
                    range.forEach((id, value) -> {
                        seen.add((long) id);
                        seen.add(value);
                    });
                }
                case SCAN_INDEX ->
                    model.entrySet().stream()
                            .filter(row -> row.getValue() >= step.value
                                    && row.getValue() < endOfValues(step.value, step.id, step.toId))
                            .sorted(Map.Entry.comparingByValue())
                            .forEach(row -> {
                                seen.add((long) row.getKey());
                                seen.add(row.getValue());
                            });
            }
            return seen;
        }
    }
}
