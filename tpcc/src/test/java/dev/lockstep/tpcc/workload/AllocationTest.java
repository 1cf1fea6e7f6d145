package dev.lockstep.tpcc.workload;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.SmallDatabase;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.plain.PlainAdapter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much of the heap a transaction takes. Bytes of one thread, which neither the collector nor others change. */
class AllocationTest {
    private static final double PLAIN_BYTES_MAX = 200;
    private static final double LOCKSTEP_BYTES_MAX = 4_096;
    private static final long SEED = 1;
    private static final long NOW_MILLIS = SmallDatabase.LOAD_MILLIS;

    /** Often enough for the JIT compiler, which removes objects that do not escape. */
    private static final int WARM_UP_TRANSACTIONS = 20_000;

    /** How often it is measured: where the machine is busy, compiled code comes later than after so many calls. */
    private static final int ROUNDS_MAX = 20;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Of the first round that stays below a bound, else of the last one. */
    private static double bytesPerTransaction(Runnable transaction, int transactions, double bound) {
        for (int i = 0; i < WARM_UP_TRANSACTIONS; i++) {
            transaction.run();
        }
        double bytes = bytesPerTransaction(transaction, transactions);
        for (int round = 2; round <= ROUNDS_MAX && bytes >= bound; round++) {
            bytes = bytesPerTransaction(transaction, transactions);
        }
        return bytes;
    }

    private static double bytesPerTransaction(Runnable transaction, int transactions) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < transactions; i++) {
            transaction.run();
        }
        return (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / transactions;
    }

    @Test
    void plainTakesLessThan200BytesATransactionOfTheStandardMix() {
        TpccScale scale = SmallDatabase.SCALE;
        try (TpccAdapter adapter = new PlainAdapter(scale)) {
            SmallDatabase.load(adapter, SEED);
            try (TpccSession session = adapter.openSession()) {
                TpccTransactions transactions = new TpccTransactions(session);
                TransactionInput input = new TransactionInput();
                Terminal terminal = new Terminal(
                        0, scale, NonUniformConstants.ofRun(SEED), TransactionMix.STANDARD, SEED, NOW_MILLIS);
                double bytes = bytesPerTransaction(
                        () -> {
                            terminal.input(terminal.draw(), NOW_MILLIS, input);
                            if (transactions.execute(input)) {
                                terminal.tally().committed(input, transactions);
                            }
                        },
                        50_000,
                        PLAIN_BYTES_MAX);
                assertTrue(bytes < PLAIN_BYTES_MAX, () -> "bytesPerTransaction=" + bytes);
            }
        }
    }

    @Test
    void lockstepTakesLessThan4KilobytesANewOrder(@TempDir Path directory) {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .durability(Durability.ASYNC)
                .build();
        Database database = Database.open(directory, options);
        try (TpccAdapter adapter = new LockstepAdapter(database, null, Durability.ASYNC, Duration.ofSeconds(30))) {
            SmallDatabase.load(adapter, SEED);
            try (TpccSession session = adapter.openSession()) {
                TpccTransactions transactions = new TpccTransactions(session);
                TransactionInput input = new TransactionInput();
                InputGenerator generator =
                        new InputGenerator(SmallDatabase.SCALE, NonUniformConstants.ofRun(SEED), SEED, 1, 1, 1L << 40);
                double bytes = bytesPerTransaction(
                        () -> {
                            generator.next(TransactionType.NEW_ORDER, NOW_MILLIS, input);
                            transactions.execute(input);
                        },
                        10_000,
                        LOCKSTEP_BYTES_MAX);
                assertTrue(bytes < LOCKSTEP_BYTES_MAX, () -> "bytesPerTransaction=" + bytes);
            }
            database.validate();
        }
    }
}
