package dev.lockstep.tpcc.workload;

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

    /**
     * Transactions at the end of the warm-up that are told apart, at most: each runs some 120,000 instructions, so this
     * many fill any simulated cache.
     */
    static final int SETTLE_TRANSACTIONS_MAX = 1_000;

    /** Of the warm-up, the part that they are at most. */
    private static final int SETTLE_DIVISOR = 10;

    private final long transactions;

    /** In front of the last transactions of the warm-up, and of the first one that is measured. */
    private final TicketGate settling;

    private final TicketGate measuring;
    private final AtomicLong tickets = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile int phase = WARM_UP;

    /** While set, transactions beyond the number are measured too. */
    private volatile boolean held;

    private RunControl(
            long warmUpTransactions,
            long transactions,
            boolean held,
            Runnable settlingBegins,
            Runnable measuringBegins) {
        this.transactions = transactions;
        this.held = held;
        long settle = Math.min(SETTLE_TRANSACTIONS_MAX, warmUpTransactions / SETTLE_DIVISOR);
        settling = new TicketGate(warmUpTransactions - settle, settle == 0 ? () -> {} : settlingBegins);
        measuring = new TicketGate(warmUpTransactions, measuringBegins);
    }

    /** A run whose phases {@link #phase(int)} switches. */
    public static RunControl byTime() {
        return new RunControl(0, 0, false, () -> {}, () -> {});
    }

    /**
     * A run of a number of transactions.
     *
     * @param settlingBegins called once, by the terminal that starts the first of the last transactions of the warm-up,
     *     a tenth of them and at most 1,000; the others start none of these until it has returned
     * @param measuringBegins called likewise in front of the first measured transaction
     */
    public static RunControl byCount(
            long warmUpTransactions, long transactions, Runnable settlingBegins, Runnable measuringBegins) {
        return new RunControl(warmUpTransactions, transactions, false, settlingBegins, measuringBegins);
    }

    /** The same, which measures on beyond the number until {@link #release} is called. */
    public static RunControl byCountHeld(
            long warmUpTransactions, long transactions, Runnable settlingBegins, Runnable measuringBegins) {
        return new RunControl(warmUpTransactions, transactions, true, settlingBegins, measuringBegins);
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
    public synchronized void phase(int next) {
        if (phase != STOP) {
            phase = next;
        }
    }

    /**
     * Asks for permission to run one more transaction, and tells which phase it belongs to, or {@link #STOP}. Waits
     * while another terminal lets a phase begin, which may take long in a simulated run: what is admitted behind it
     * runs in that phase.
     */
    int admit() {
        int now = phase;
        if (transactions == 0 || now == STOP) {
            return now;
        }
        long ticket = tickets.getAndIncrement();
        try {
            if (!settling.pass(ticket) || !measuring.pass(ticket)) {
                return WARM_UP;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(e);
            return STOP;
        }
        return ticket < measuring.first() + transactions || held ? MEASURE : STOP;
    }

    /** Whether {@link #admit} would let a transaction begin now; once it would not, it never will again. */
    boolean admitsMore() {
        return phase != STOP && (transactions == 0 || held || tickets.get() < measuring.first() + transactions);
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
        phase(STOP);
    }

    /** What made the run fail, or {@code null}. */
    public Throwable failure() {
        return failure.get();
    }
}
