package dev.lockstep.bench.restart;

import dev.lockstep.bench.flame.FlameRun;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.prove.KilledJvmFrames;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.workload.InputGenerator;
import dev.lockstep.tpcc.workload.NonUniformConstants;
import dev.lockstep.tpcc.workload.TpccRandom;
import dev.lockstep.tpcc.workload.TpccTransactions;
import dev.lockstep.tpcc.workload.TransactionDeck;
import dev.lockstep.tpcc.workload.TransactionInput;
import dev.lockstep.tpcc.workload.TransactionMix;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The process that is killed: writes a checkpoint, runs TPC-C until there is so much log behind it, has all of it on
 * disk, says how much it is, and waits for its end.
 */
final class RestartChild {
    /** Emulated users at least, so that they meet as those of a run do. */
    private static final int TERMINALS_MIN = 4;

    /** Transactions between two looks at the length of the log: less than 200 KB of it. */
    private static final int LOOK_INTERVAL = 50;

    /** HISTORY keys: terminals from this bit; above the keys of loading. */
    private static final int HISTORY_TERMINAL_SHIFT = 48;

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final Database database;
    private final LockstepAdapter adapter;
    private final TpccScale scale;
    private final long seed;
    private final long logBytesEnd;
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();

    private RestartChild(LockstepAdapter adapter, TpccScale scale, long seed, long logBytesEnd) {
        this.database = adapter.database();
        this.adapter = adapter;
        this.scale = scale;
        this.seed = seed;
        this.logBytesEnd = logBytesEnd;
    }

    /** How the database is opened, here and by the parent: without checkpoints but those that are asked for. */
    static DatabaseOptions options(long poolBytes) {
        return DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(poolBytes)
                .checkpointLogBytes(DatabaseOptions.CHECKPOINT_LOG_BYTES_MAX)
                .build();
    }

    /** TPC-C on a database, with commits that do not wait for the disk. */
    static LockstepAdapter adapter(Database database) {
        return new LockstepAdapter(database, null, Durability.ASYNC, TIMEOUT);
    }

    /** Arguments: directory, bytes of the pool, seed, bytes of log, the four numbers of the scale. */
    public static void main(String[] arguments) throws InterruptedException {
        ChildJvm.endWithParent();
        long poolBytes = Long.parseLong(arguments[1]);
        long seed = Long.parseLong(arguments[2]);
        long logBytes = Long.parseLong(arguments[3]);
        TpccScale scale = new TpccScale(
                Integer.parseInt(arguments[4]),
                Integer.parseInt(arguments[5]),
                Integer.parseInt(arguments[6]),
                Integer.parseInt(arguments[7]));
        try (LockstepAdapter adapter = adapter(Database.open(Path.of(arguments[0]), options(poolBytes)))) {
            adapter.database().checkpoint();
            long before = adapter.database().statistics().logBytes();
            try (FlameRun _ = FlameRun.start("restart: writing log")) {
                new RestartChild(adapter, scale, seed, before + logBytes).work();
            }
            // The database's own durability is sync: a commit brings everything before it to the disk.
            adapter.database().createTable(RestartExperiment.MARKER);
            new KilledJvmFrames()
                    .say(ByteBuffer.allocate(Long.BYTES)
                            .putLong(adapter.database().statistics().logBytes() - before)
                            .flip());
            // Until it is killed.
            new CountDownLatch(1).await();
        }
    }

    private void work() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int terminal = 0; terminal < Math.max(TERMINALS_MIN, scale.warehouses()); terminal++) {
            int number = terminal;
            threads.add(Thread.ofPlatform().name("terminal-" + terminal).start(() -> runTerminal(number)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    private void runTerminal(int number) {
        InputGenerator generator = new InputGenerator(
                scale,
                NonUniformConstants.ofRun(seed),
                TpccRandom.seed(seed, number),
                1 + number % scale.warehouses(),
                1 + number % TpccScale.DISTRICTS,
                (number + 1L) << HISTORY_TERMINAL_SHIFT);
        TransactionDeck deck = new TransactionDeck(TransactionMix.STANDARD, generator.random());
        TransactionInput input = new TransactionInput();
        try (TpccSession session = adapter.openSession()) {
            TpccTransactions transactions = new TpccTransactions(session);
            // Ends when there is enough log, which every transaction but a few adds to.
            for (long i = 0; failure.get() == null; i++) {
                if (i % LOOK_INTERVAL == 0 && database.statistics().logBytes() >= logBytesEnd) {
                    return;
                }
                generator.next(deck.draw(), System.currentTimeMillis(), input);
                transaction(session, transactions, input);
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Ends because a deadlock's victim is the youngest. */
    private void transaction(TpccSession session, TpccTransactions transactions, TransactionInput input) {
        while (true) {
            try {
                transactions.execute(input);
                return;
            } catch (RuntimeException e) {
                if (adapter.retryReason(e) == null) {
                    throw e;
                }
                session.rollback();
            }
        }
    }
}
