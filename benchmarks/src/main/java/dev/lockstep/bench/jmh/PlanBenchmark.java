package dev.lockstep.bench.jmh;

import dev.lockstep.bench.plan.FilterOperator;
import dev.lockstep.bench.plan.ScanOperator;
import dev.lockstep.bench.plan.SumOperator;
import dev.lockstep.bench.process.NodesFile;
import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
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
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * A query of the kind of TPC-H's sixth, the sum of a product over the rows that fit, by a plan of three operators that
 * call one another row by row, and by one loop; time is for a row that is read. Under {@code ./lockstep simulate
 * --operations} each operator is told with its own misses.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class PlanBenchmark {
    private static final int ROWS = 10_000;
    private static final int ROWS_PER_TRANSACTION = 100;
    private static final long POOL_BYTES = 16L << 20;

    private static final int ID = 0;
    private static final int QUANTITY = 1;
    private static final int PRICE_CENTS = 2;
    private static final int DISCOUNT_PERCENT = 3;

    /** Quantities are below twice this, so that every second row fits. */
    private static final int QUANTITY_BELOW = 24;

    private static final int DISCOUNT_PERCENT_BELOW = 11;
    private static final int PRICE_CENTS_BELOW = 10_000_000;

    private static final String SUM = "operator sum";
    private static final String FILTER = "operator filter";
    private static final String SCAN = "operator scan line";

    private Database database;
    private Session session;
    private Table table;
    private Key first;
    private Record row;
    private TransactionOptions options;
    private ScanOperator scan;
    private SumOperator sum;

    /** For JMH. */
    public PlanBenchmark() {}

    /** Fills a table, and puts the plan together. */
    @Setup
    public void fill() {
        DatabaseOptions databaseOptions = DatabaseOptions.builder()
                .nodeLayout(NodesFile.layout())
                .poolBytes(POOL_BYTES)
                .build();
        database = Database.inMemory(databaseOptions);
        options = TransactionOptions.of(databaseOptions).withIsolation(Isolation.READ_COMMITTED);
        table = database.createTable(TableDefinition.named("line")
                .column("id", ColumnType.int32())
                .column("quantity", ColumnType.int32())
                .column("price-cents", ColumnType.int64())
                .column("discount-percent", ColumnType.int32())
                .primaryKey("id")
                .build());
        session = database.openSession();
        first = table.newKey().add(0);
        row = table.newRecord();
        SplittableRandom random = new SplittableRandom(BenchmarkSeed.get());
        for (int from = 0; from < ROWS; from += ROWS_PER_TRANSACTION) {
            Transaction transaction = session.begin(options);
            for (int id = from; id < from + ROWS_PER_TRANSACTION; id++) {
                row.clear();
                row.setInt(ID, id);
                row.setInt(QUANTITY, random.nextInt(2 * QUANTITY_BELOW));
                row.setLong(PRICE_CENTS, random.nextInt(PRICE_CENTS_BELOW));
                row.setInt(DISCOUNT_PERCENT, random.nextInt(DISCOUNT_PERCENT_BELOW));
                transaction.insert(table, row);
            }
            transaction.commit();
        }
        scan = new ScanOperator(SCAN, FILTER, row);
        FilterOperator filter = new FilterOperator(FILTER, SUM, scan, row, PlanBenchmark::fits);
        sum = new SumOperator(SUM, filter, row, PlanBenchmark::discountedCentsTimes100);
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

    private static boolean fits(Record line) {
        return line.getInt(QUANTITY) < QUANTITY_BELOW;
    }

    private static long discountedCentsTimes100(Record line) {
        return line.getLong(PRICE_CENTS) * line.getInt(DISCOUNT_PERCENT);
    }

    /** By the plan. */
    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long planRow() {
        Transaction transaction = session.begin(options);
        try (Cursor cursor = transaction.scan(table).from(first)) {
            scan.open(cursor);
            sum.next();
        }
        transaction.commit();
        return sum.sum();
    }

    /** By one loop, with the same conditions on the same rows. */
    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long loopRow() {
        long added = 0;
        Transaction transaction = session.begin(options);
        try (Cursor cursor = transaction.scan(table).from(first)) {
            while (cursor.next(row)) {
                if (fits(row)) {
                    added += discountedCentsTimes100(row);
                }
            }
        }
        transaction.commit();
        return added;
    }
}
