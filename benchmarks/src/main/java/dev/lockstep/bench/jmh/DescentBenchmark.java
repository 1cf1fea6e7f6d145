package dev.lockstep.bench.jmh;

import dev.lockstep.bench.process.NodesFile;
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

/**
 * Fetches that descend from the root: keys drawn at random have no neighbours to share a hint with, and are several
 * times as many as there are hints. Time is for one row of a batch; fetches one by one are the control.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class DescentBenchmark {
    /** Rows of a batch, as many as run side by side. */
    private static final int BATCH_ROWS = 16;

    private static final int TEXT = 3;
    private static final int TEXT_CHARACTERS = 60;

    /** One and a half times what the rows take, with leaves two thirds full: a tenth as many hints as rows. */
    private static final long POOL_BYTES = 192L << 20;

    /** Each has {@link #BATCH_ROWS} rows of about 100 bytes. */
    @Param({"50000"})
    public int owners;

    private Database database;
    private Session session;
    private Table table;
    private Key key;
    private Record record;
    private RowBatch batch;
    private TransactionOptions options;
    private final SplittableRandom random = new SplittableRandom(BenchmarkSeed.get());

    /** For JMH. */
    public DescentBenchmark() {}

    /** Draws a number that belongs to an owner, or to one of the owner's rows. */
    private static long mix(long number) {
        return new SplittableRandom(number).nextLong();
    }

    /** Fills a table with sixteen rows for each owner. */
    @Setup
    public void fill() {
        DatabaseOptions databaseOptions = DatabaseOptions.builder()
                .poolBytes(POOL_BYTES)
                .nodeLayout(NodesFile.layout())
                .build();
        database = Database.inMemory(databaseOptions);
        options = TransactionOptions.of(databaseOptions).withIsolation(Isolation.SERIALIZABLE);
        table = database.createTable(TableDefinition.named("event")
                .column("owner", ColumnType.int64())
                .column("id", ColumnType.int64())
                .column("amount", ColumnType.int64())
                .column("text", ColumnType.string(TEXT_CHARACTERS))
                .primaryKey("owner", "id")
                .build());
        session = database.openSession();
        key = table.newKey();
        record = table.newRecord();
        batch = table.newBatch(BATCH_ROWS);
        for (int owner = 0; owner < owners; owner++) {
            Transaction transaction = session.begin(options);
            for (int row = 0; row < BATCH_ROWS; row++) {
                record.clear();
                record.setLong(0, mix(owner));
                record.setLong(1, mix(-row - 1));
                record.setLong(2, row);
                record.setString(TEXT, "x".repeat(TEXT_CHARACTERS));
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

    /** Fetches rows of any owners, one by one. */
    @Benchmark
    @OperationsPerInvocation(BATCH_ROWS)
    public int fetch() {
        int found = 0;
        Transaction transaction = session.begin(options);
        for (int i = 0; i < BATCH_ROWS; i++) {
            key.reset().add(mix(random.nextInt(owners))).add(mix(-random.nextInt(BATCH_ROWS) - 1));
            found += transaction.fetch(table, key, record) ? 1 : 0;
        }
        transaction.commit();
        return found;
    }

    /** Fetches rows of any owners side by side: they share the root, and inner nodes now and then. */
    @Benchmark
    @OperationsPerInvocation(BATCH_ROWS)
    public int fetchInBatches() {
        batch.clear();
        for (int i = 0; i < BATCH_ROWS; i++) {
            batch.addKey().add(mix(random.nextInt(owners))).add(mix(-random.nextInt(BATCH_ROWS) - 1));
        }
        return fetchBatch();
    }

    /** Fetches all rows of an owner side by side: they share all nodes. */
    @Benchmark
    @OperationsPerInvocation(BATCH_ROWS)
    public int fetchNeighboursInBatches() {
        batch.clear();
        long owner = mix(random.nextInt(owners));
        for (int row = 0; row < BATCH_ROWS; row++) {
            batch.addKey().add(owner).add(mix(-row - 1));
        }
        return fetchBatch();
    }

    private int fetchBatch() {
        Transaction transaction = session.begin(options);
        int found = transaction.fetch(table, batch);
        transaction.commit();
        return found;
    }
}
