package dev.lockstep.tpcc.workload;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What the driver and the terminals of a run tell each other: the phase, which either the driver switches by the clock
 * or the terminals by counting transactions, and the first failure. Thread-safe.
 */
public final class RunControl {
    /** Transactions are run but not measured. */
    public static final int WARM_UP = 0;

    /** Transactions are measured. */
    public static final int MEASURE = 1;

    /** Terminals end. */
    public static final int STOP = 2;

    private final long warmUpTransactions;
    private final long transactions;
    private final Runnable measureBegins;
    private final AtomicLong tickets = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile int phase = WARM_UP;

    /** Open once {@link #measureBegins} has returned, or thrown. */
    private final CountDownLatch measuring = new CountDownLatch(1);

    /** While set, transactions beyond the number are measured too. */
    private volatile boolean held;

    private RunControl(long warmUpTransactions, long transactions, boolean held, Runnable measureBegins) {
        this.warmUpTransactions = warmUpTransactions;
        this.transactions = transactions;
        this.held = held;
        this.measureBegins = measureBegins;
    }

    /** A run whose phases {@link #phase(int)} switches. */
    public static RunControl byTime() {
        return new RunControl(0, 0, false, () -> {});
    }

    /**
     * A run of a number of transactions.
     *
     * @param measureBegins called once, by the terminal that starts the first measured transaction; the others start
     *     none until it has returned
     */
    public static RunControl byCount(long warmUpTransactions, long transactions, Runnable measureBegins) {
        return new RunControl(warmUpTransactions, transactions, false, measureBegins);
    }

    /** The same, which measures on beyond the number until {@link #release} is called. */
    public static RunControl byCountHeld(long warmUpTransactions, long transactions, Runnable measureBegins) {
        return new RunControl(warmUpTransactions, transactions, true, measureBegins);
    }

    /** Lets the measured phase end with its number of transactions, or now if they have been run. */
    public void release() {
        held = false;
    }

    /** The phase now. */
    public int phase() {
        return phase;
    }

    /** Switches the phase; a stopped run stays stopped. */
    public void phase(int next) {
        if (phase != STOP) {
            phase = next;
        }
    }

    /**
     * Asks for permission to run one more transaction, and tells which phase it belongs to, or {@link #STOP}. Waits
     * while another terminal lets the measured phase begin, which may take long in a simulated run: what is admitted as
     * measured runs in that phase.
     */
    int admit() {
        int now = phase;
        if (transactions == 0 || now == STOP) {
            return now;
        }
        long ticket = tickets.getAndIncrement();
        if (ticket < warmUpTransactions) {
            return WARM_UP;
        }
        if (ticket == warmUpTransactions) {
            beginMeasuring();
        } else if (measuring.getCount() != 0 && !awaitMeasuring()) {
            return STOP;
        }
        return ticket < warmUpTransactions + transactions || held ? MEASURE : STOP;
    }

    /** Whether {@link #admit} would let a transaction begin now; once it would not, it never will again. */
    boolean admitsMore() {
        return phase != STOP && (transactions == 0 || held || tickets.get() < warmUpTransactions + transactions);
    }

    private void beginMeasuring() {
        try {
            measureBegins.run();
        } finally {
            measuring.countDown();
        }
    }

    /** Ends, because the terminal with the first measured ticket is not waiting for any other. */
    private boolean awaitMeasuring() {
        try {
            measuring.await();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(e);
            return false;
        }
    }

    /** The phase to which a transaction that was admitted in a phase and ends now belongs. */
    int phaseOfEnded(int admitted) {
        return transactions == 0 ? phase : admitted;
    }

    /** Ends the run with a failure; the first one is kept, later ones are attached to it. */
    void fail(Throwable cause) {
        if (!failure.compareAndSet(null, cause) && failure.get() != cause) {
            failure.get().addSuppressed(cause);
        }
        phase = STOP;
    }

    /** What made the run fail, or {@code null}. */
    public Throwable failure() {
        return failure.get();
    }
}
