package dev.lockstep.bench.jmh;

import dev.lockstep.bench.process.NodesFile;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.workload.InputGenerator;
import dev.lockstep.tpcc.workload.NonUniformConstants;
import dev.lockstep.tpcc.workload.TpccTransactions;
import dev.lockstep.tpcc.workload.TransactionInput;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/** One TPC-C transaction on one thread, commits not waited for. With {@code -prof gc}: the heap it allocates. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@State(Scope.Benchmark)
@Fork(3)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public class NewOrderBenchmark {
    private static final long HISTORY_ID_FIRST = 1L << 40;

    /** Two gigabytes at the specification's number of items: minutes of New-Orders before a page has to leave. */
    private static final long POOL_BYTES_PER_ITEM = 20 << 10;

    private static final long POOL_BYTES_MIN = 64L << 20;
    private static final long NOW_MILLIS = 1_700_000_000_000L;

    /** Items, and stock rows; the specification's 100,000 unless a test asks for fewer. */
    @Param("100000")
    public int items;

    /** Customers of each district; the specification's 3,000 unless a test asks for fewer. */
    @Param("3000")
    public int customers;

    private ScratchDirectory directory;
    private LockstepAdapter adapter;
    private TpccSession session;
    private TpccTransactions transactions;
    private InputGenerator generator;
    private final TransactionInput input = new TransactionInput();

    /** For JMH. */
    public NewOrderBenchmark() {}

    /** Loads a warehouse. */
    @Setup
    public void load() throws IOException, InterruptedException {
        long seed = BenchmarkSeed.get();
        directory = ScratchDirectory.make("jmh");
        TpccScale scale = new TpccScale(1, items, customers, customers * 3 / 10);
        DatabaseOptions options = DatabaseOptions.builder()
                .nodeLayout(NodesFile.layout())
                .createIfMissing(true)
                .durability(Durability.ASYNC)
                .durableSnapshots(false)
                .poolBytes(Math.max(POOL_BYTES_MIN, items * POOL_BYTES_PER_ITEM))
                .build();
        Database database = Database.open(directory.path().resolve("database"), options);
        adapter = new LockstepAdapter(database, null, Durability.ASYNC, Duration.ofSeconds(10));
        TpccRun.load(TpccConfiguration.builder(scale).seed(seed).build(), adapter, TpccProgress.NONE);
        session = adapter.openSession();
        transactions = new TpccTransactions(session);
        generator = new InputGenerator(scale, NonUniformConstants.ofRun(seed), seed, 1, 1, HISTORY_ID_FIRST);
    }

    /** Refuses several threads, which would share what belongs to one. */
    @Setup
    public void requireOneThread(BenchmarkParams benchmark) {
        SingleThread.require(benchmark);
    }

    /** Closes the database. */
    @TearDown
    public void close() throws IOException {
        session.close();
        adapter.close();
        directory.close();
    }

    /** New-Order: about 35 operations. Returns what the customer owes. */
    @Benchmark
    public long newOrder() {
        generator.next(TransactionType.NEW_ORDER, NOW_MILLIS, input);
        return transactions.execute(input) ? transactions.totalCents() : -1;
    }

    /** Payment: about 8 operations. */
    @Benchmark
    public boolean payment() {
        generator.next(TransactionType.PAYMENT, NOW_MILLIS, input);
        return transactions.execute(input);
    }
}
