package dev.lockstep.bench.prove;

import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.TornPageProtection;
import dev.lockstep.engine.proof.OtherStorage;
import dev.lockstep.tpcc.adapter.DelegatingSession;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.workload.InputGenerator;
import dev.lockstep.tpcc.workload.NonUniformConstants;
import dev.lockstep.tpcc.workload.Tally;
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

/**
 * The process that {@link KillProof} kills: TPC-C by several terminals, with durable commits. Before each commit a
 * terminal says what the transaction will have done, and after the answer that it was answered; so the parent knows at
 * any moment what must be there, and of each terminal the one transaction that may be there or not. With the answer it
 * says what the transaction has read that only grows, the orders of a district: who was shown an order of somebody else
 * must find it again, whether that one was answered or not.
 */
final class KillChild {
    /**
     * In the place of a terminal: the database is open. With the number of changes of files that the opening has made.
     */
    static final int OPENED = -2;

    /** Likewise: it waits for its end before a change that the opening makes. */
    static final int STOPPED = -3;

    /** What a frame says of a terminal: what its transaction, which is about to commit, does. */
    static final int COMMITS = 1;

    /** It was answered; if it has looked at orders, with what it saw of them. */
    static final int ANSWERED = 2;

    /** It failed, and is rolled back. */
    static final int ROLLED_BACK = 3;

    /** The end of a child that nobody kills: far more than any point waits for. */
    private static final int TRANSACTIONS_MAX = 1_000_000;

    /** Transactions of the first terminal between two checkpoints. */
    private static final int CHECKPOINT_INTERVAL = 60;

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** HISTORY keys: terminals from this bit, points below. */
    private static final int HISTORY_TERMINAL_SHIFT = 56;

    private static final int HISTORY_POINT_SHIFT = 32;

    private final KilledJvmFrames frames = new KilledJvmFrames();
    private final long seed;
    private final long point;
    private final int terminals;
    private final TornPageProtection tornPageProtection;

    private KillChild(long seed, long point, int terminals, TornPageProtection tornPageProtection) {
        this.seed = seed;
        this.point = point;
        this.terminals = terminals;
        this.tornPageProtection = tornPageProtection;
    }

    /**
     * Arguments: directory, seed, number of the point, terminals, protection of torn pages, number of the change of a
     * file before which it stops; without terminals it opens the database alone, and only then it stops.
     */
    public static void main(String[] arguments) throws InterruptedException {
        ChildJvm.endWithParent();
        new KillChild(
                        Long.parseLong(arguments[1]),
                        Long.parseLong(arguments[2]),
                        Integer.parseInt(arguments[3]),
                        TornPageProtection.valueOf(arguments[4]))
                .work(Path.of(arguments[0]), Long.parseLong(arguments[5]));
    }

    private void work(Path directory, long stopAt) throws InterruptedException {
        StoppingStorage storage = new StoppingStorage(stopAt, () -> say(STOPPED, 0));
        DatabaseOptions databaseOptions = KillProof.databaseOptions(tornPageProtection);
        Database opened = terminals > 0
                ? Database.open(directory, databaseOptions)
                : OtherStorage.open(storage, directory, databaseOptions, KillProof.logOptions());
        try (LockstepAdapter adapter = new LockstepAdapter(opened, null, Durability.SYNC, TIMEOUT)) {
            Database database = adapter.database();
            say(OPENED, Math.toIntExact(storage.changes()));
            List<Thread> threads = new ArrayList<>();
            for (int terminal = 0; terminal < terminals; terminal++) {
                int number = terminal;
                threads.add(Thread.ofPlatform()
                        .name("terminal-" + terminal)
                        .start(() -> new KilledTerminal(database, adapter, number).run()));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            // Until it is killed; without terminals at once.
            new CountDownLatch(1).await();
        }
    }

    private void say(int terminal, int kind) {
        frames.say(ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(terminal)
                .putInt(kind)
                .flip());
    }

    /** One emulated user, by one thread. */
    private final class KilledTerminal {
        private final Database database;
        private final TpccAdapter adapter;
        private final int number;
        private final TransactionInput input = new TransactionInput();
        private final InputGenerator generator;
        private final TransactionDeck deck;
        private TpccTransactions transactions;

        KilledTerminal(Database database, TpccAdapter adapter, int number) {
            this.database = database;
            this.adapter = adapter;
            this.number = number;
            generator = new InputGenerator(
                    KillProof.SCALE,
                    NonUniformConstants.ofRun(seed),
                    TpccRandom.seed(seed, point * KillProof.TERMINALS + number),
                    1,
                    number + 1,
                    (number + 1L) << HISTORY_TERMINAL_SHIFT | (point + 1) << HISTORY_POINT_SHIFT);
            deck = new TransactionDeck(TransactionMix.STANDARD, generator.random());
        }

        void run() {
            TpccSession watched = new DelegatingSession(adapter.openSession()) {
                @Override
                public void commit() {
                    commits();
                    super.commit();
                }
            };
            try (TpccSession session = watched) {
                transactions = new TpccTransactions(session);
                for (int i = 0; i < TRANSACTIONS_MAX; i++) {
                    generator.next(deck.draw(), System.currentTimeMillis(), input);
                    transaction(session);
                    if (number == 0 && i % CHECKPOINT_INTERVAL == CHECKPOINT_INTERVAL - 1) {
                        database.checkpoint();
                    }
                }
            }
        }

        /** Until it commits, or its input makes it roll back; the deadlock's victim is the youngest, so it ends. */
        private void transaction(TpccSession session) {
            while (true) {
                try {
                    if (transactions.execute(input)) {
                        answered();
                    }
                    return;
                } catch (RuntimeException e) {
                    if (adapter.retryReason(e) == null) {
                        throw e;
                    }
                    session.rollback();
                    say(number, ROLLED_BACK);
                }
            }
        }

        /** Also says up to where orders were seen: Stock-Level reads the next number, Order-Status finds an order. */
        private void answered() {
            switch (input.type) {
                case STOCK_LEVEL -> answered(input.warehouseId, input.districtId, transactions.nextOrderId());
                case ORDER_STATUS -> {
                    // An order has lines; without any there was none, and its number is that of an earlier one.
                    if (transactions.orderLineCount() > 0) {
                        answered(input.customerWarehouseId, input.customerDistrictId, transactions.orderId() + 1);
                    } else {
                        say(number, ANSWERED);
                    }
                }
                case NEW_ORDER, PAYMENT, DELIVERY -> say(number, ANSWERED);
            }
        }

        private void answered(int warehouseId, int districtId, int nextOrderId) {
            frames.say(ByteBuffer.allocate(5 * Integer.BYTES)
                    .putInt(number)
                    .putInt(ANSWERED)
                    .putInt(warehouseId)
                    .putInt(districtId)
                    .putInt(nextOrderId)
                    .flip());
        }

        private void commits() {
            Tally tally = new Tally(1, KillProof.SCALE.warehouses());
            tally.committed(input, transactions);
            List<Long> numbers = tally.numbers();
            ByteBuffer frame = ByteBuffer.allocate(2 * Integer.BYTES + numbers.size() * Long.BYTES)
                    .putInt(number)
                    .putInt(COMMITS);
            numbers.forEach(frame::putLong);
            frames.say(frame.flip());
        }
    }
}
