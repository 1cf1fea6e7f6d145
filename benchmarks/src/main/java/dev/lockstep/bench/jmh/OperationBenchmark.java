package dev.lockstep.bench.jmh;

import dev.lockstep.bench.process.NodesFile;
import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.RowBatch;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.engine.type.ColumnType;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/** Single operations in memory, without a log, a hundred to a serializable transaction; time is for one of them. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class OperationBenchmark {
    private static final int OPERATIONS = 100;
    /** Rows of a batch: the lines of an order. */
    private static final int BATCH_ROWS = 10;

    private static final int ID = 0;
    private static final int AMOUNT = 1;
    private static final int TEXT = 2;
    private static final int TEXT_CHARACTERS = 60;

    /** For rows that are inserted besides, and taken back. */
    private static final long POOL_BYTES_MIN = 64L << 20;

    /** Twice what a row takes in a full page. */
    private static final long POOL_BYTES_PER_ROW = 256;

    /** Rows of about 100 bytes: the first fit the processor's caches, the second do not. */
    @Param({"10000", "1000000"})
    public int rows;

    private Database database;
    private Session session;
    private Table table;
    private Key key;
    private Record record;
    private RowBatch batch;
    private TransactionOptions options;
    private final SplittableRandom random = new SplittableRandom(BenchmarkSeed.get());

    /** For JMH. */
    public OperationBenchmark() {}

    /** Fills a table with even keys. */
    @Setup
    public void fill() {
        DatabaseOptions databaseOptions = DatabaseOptions.builder()
                .nodeLayout(NodesFile.layout())
                .poolBytes(POOL_BYTES_MIN + rows * POOL_BYTES_PER_ROW)
                .build();
        database = Database.inMemory(databaseOptions);
        options = TransactionOptions.of(databaseOptions).withIsolation(Isolation.SERIALIZABLE);
        table = database.createTable(TableDefinition.named("account")
                .column("id", ColumnType.int32())
                .column("amount", ColumnType.int64())
                .column("text", ColumnType.string(TEXT_CHARACTERS))
                .primaryKey("id")
                .build());
        session = database.openSession();
        key = table.newKey();
        record = table.newRecord();
        batch = table.newBatch(BATCH_ROWS);
        for (int row = 0; row < rows; row += OPERATIONS) {
            Transaction transaction = session.begin(options);
            for (int i = row; i < Math.min(row + OPERATIONS, rows); i++) {
                fill(2 * i);
                transaction.insert(table, record);
            }
            transaction.commit();
        }
    }

    /** Refuses several threads, which would share what belongs to one. */
    @Setup
    public void requireOneThread(BenchmarkParams benchmark) {
        SingleThread.require(benchmark);
    }

    /** Closes the database. */
    @TearDown
    public void close() {
        session.close();
        database.close();
    }

    private void fill(int id) {
        record.clear();
        record.setInt(ID, id);
        record.setLong(AMOUNT, id);
        record.setString(TEXT, "x".repeat(TEXT_CHARACTERS));
    }

    /** Begin and commit of a transaction that does nothing, of which each figure below holds a hundredth. */
    @Benchmark
    public boolean emptyTransaction() {
        Transaction transaction = session.begin(options);
        transaction.commit();
        return transaction.isOpen();
    }

    /** Fetches rows at random. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long fetch() {
        long sum = 0;
        Transaction transaction = session.begin(options);
        for (int i = 0; i < OPERATIONS; i++) {
            key.reset().add(2 * random.nextInt(rows));
            if (transaction.fetch(table, key, record)) {
                sum += record.getLong(AMOUNT);
            }
        }
        transaction.commit();
        return sum;
    }

    /** Fetches rows at random, ten side by side. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long fetchInBatches() {
        long sum = 0;
        Transaction transaction = session.begin(options);
        for (int i = 0; i < OPERATIONS; i += BATCH_ROWS) {
            batch.clear();
            for (int j = 0; j < BATCH_ROWS; j++) {
                batch.addKey().add(2 * random.nextInt(rows));
            }
            transaction.fetch(table, batch);
            sum += sumOfBatch();
        }
        transaction.commit();
        return sum;
    }

    private long sumOfBatch() {
        long sum = 0;
        for (int i = 0; i < batch.size(); i++) {
            sum += batch.record(i).getLong(AMOUNT);
        }
        return sum;
    }

    /** Fetches rows at random and changes them. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long fetchAndUpdate() {
        long sum = 0;
        Transaction transaction = session.begin(options);
        for (int i = 0; i < OPERATIONS; i++) {
            key.reset().add(2 * random.nextInt(rows));
            if (transaction.fetchForUpdate(table, key, record)) {
                sum += record.getLong(AMOUNT);
                record.setLong(AMOUNT, sum);
                transaction.update(table, record);
            }
        }
        transaction.commit();
        return sum;
    }

    /** Inserts rows between others and takes them back, so that the table stays as it is. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public int insertAndRollBack() {
        Transaction transaction = session.begin(options);
        // Distinct odd keys, far apart: each insertion finds a leaf of its own.
        int step = Math.max(1, rows / OPERATIONS);
        int first = random.nextInt(step);
        for (int i = 0; i < OPERATIONS; i++) {
            fill(2 * (first + i * step) + 1);
            transaction.insert(table, record);
        }
        transaction.rollback();
        return first;
    }

    /** Reads a hundred rows in order; time is for one row. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long scanRow() {
        long sum = 0;
        Transaction transaction = session.begin(options);
        key.reset().add(2 * random.nextInt(Math.max(1, rows - OPERATIONS)));
        try (Cursor cursor = transaction.scan(table).from(key)) {
            for (int i = 0; i < OPERATIONS && cursor.next(record); i++) {
                sum += record.getLong(AMOUNT);
            }
        }
        transaction.commit();
        return sum;
    }

    /** Reads a hundred rows in order, ten at a time; time is for one row. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long scanRowInBatches() {
        long sum = 0;
        Transaction transaction = session.begin(options);
        key.reset().add(2 * random.nextInt(Math.max(1, rows - OPERATIONS)));
        try (Cursor cursor = transaction.scan(table).from(key)) {
            for (int i = 0; i < OPERATIONS && cursor.next(batch) > 0; i += BATCH_ROWS) {
                sum += sumOfBatch();
            }
        }
        transaction.commit();
        return sum;
    }
}
