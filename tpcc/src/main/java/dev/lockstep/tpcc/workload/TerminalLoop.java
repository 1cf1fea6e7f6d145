package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * The work of one thread: it serves its terminals in turn over one session, one transaction after the other, until the
 * run stops. Engines with a thread per terminal get loops of one terminal; an engine without concurrency control gets
 * one loop with all terminals, which then see every warehouse as often.
 *
 * <p>Terminals take turns of some {@linkplain #transactionsPerTurn transactions}, whatever the engine: a loop with
 * several goes on to the next one, and gives way to other loops. Nothing else makes a virtual thread give way between
 * transactions that meet no lock: one terminal would run for seconds, in the pages of its own warehouse, while the
 * others stand in the queue, with locks that they were granted meanwhile.
 *
 * <p>Invariants: counters are written by this loop's thread alone; {@code completed} may be read at any time, the
 * others after {@code ended} was called.
 */
public final class TerminalLoop implements Runnable {
    /**
     * Attempts at one transaction before the run fails. Victims are chosen so that somebody commits each time; a
     * transaction that loses this often shows an engine that does not make progress.
     */
    static final int ATTEMPTS_MAX = 10_000;

    /**
     * Transactions of one terminal before it is another's turn. Fewer cost more: each hand-over finds another session's
     * memory and often another warehouse in no cache. With more the others wait longer and nothing is won. It is about
     * what a turn of an S-thread comes to (Scheduler.OPERATIONS_PER_TURN), so that neither scheduling has longer ones.
     */
    static final int TRANSACTIONS_PER_TURN_MAX = 40;

    /** Transactions of a turn however many terminals there are: ten thousand then have a round of 2 s. */
    static final int TRANSACTIONS_PER_TURN_MIN = 8;

    /** Transactions in which each terminal shall have had a turn: 0.1 s of work, as Scheduler.OPERATIONS_PER_ROUND. */
    static final int TRANSACTIONS_PER_ROUND = 5_000;

    /** Attempts before a loop pauses between them: most conflicts are over at once. */
    private static final int ATTEMPTS_UNTIL_PAUSE = 3;

    /** The longest pause between attempts, which grows with their number up to this. */
    private static final long RETRY_PAUSE_NANOS_MAX = 2_000_000;

    private static final long RETRY_PAUSE_NANOS_MIN = 50_000;

    private static final VarHandle COMPLETED;

    static {
        try {
            COMPLETED = MethodHandles.lookup().findVarHandle(TerminalLoop.class, "completed", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final TpccAdapter adapter;
    private final Terminal[] terminals;
    private final RunControl control;
    private final TerminalThreads threads;
    private final LatencyRecorder latencies;
    private final UserDelays delays;
    private final Consumer<TerminalLoop> ended;
    private final TransactionInput input = new TransactionInput();
    private final long[] commits = new long[TransactionType.COUNT];
    private final long[] aborts = new long[AbortReason.COUNT];
    private final long epochMillisAtZero;
    private final int transactionsPerTurn;
    private long retries;
    private long completed;

    /**
     * @param terminals those that this loop serves
     * @param transactionsPerTurn after how many transactions it is the next terminal's turn
     * @param delays keying and think times, or {@code null} for none
     * @param epochMillisAtZero the time since the epoch in milliseconds at which {@link System#nanoTime} was 0
     * @param ended called as the last thing, whatever happened
     */
    public TerminalLoop(
            TpccAdapter adapter,
            Terminal[] terminals,
            int transactionsPerTurn,
            RunControl control,
            TerminalThreads threads,
            LatencyRecorder latencies,
            UserDelays delays,
            long epochMillisAtZero,
            Consumer<TerminalLoop> ended) {
        this.adapter = adapter;
        this.terminals = terminals.clone();
        this.transactionsPerTurn = transactionsPerTurn;
        this.control = control;
        this.threads = threads;
        this.latencies = latencies;
        this.delays = delays;
        this.epochMillisAtZero = epochMillisAtZero;
        this.ended = ended;
    }

    /**
     * How many transactions a turn has.
     *
     * @param terminals those of the whole run
     */
    public static int transactionsPerTurn(int terminals) {
        return Math.clamp(TRANSACTIONS_PER_ROUND / terminals, TRANSACTIONS_PER_TURN_MIN, TRANSACTIONS_PER_TURN_MAX);
    }

    @Override
    public void run() {
        try (TpccSession session = adapter.openSession()) {
            serve(session, new TpccTransactions(session));
        } catch (Throwable e) {
            // Reported as the run's failure, an Error too: the driver would otherwise wait for this loop's terminals.
            control.fail(e);
        } finally {
            ended.accept(this);
        }
    }

    private void serve(TpccSession session, TpccTransactions transactions) {
        int next = 0;
        int turnTransactions = 0;
        long endNanos = System.nanoTime();
        // Ends when the driver stops the run, or the transactions admitted are used up.
        while (true) {
            int admitted = control.admit();
            if (admitted == RunControl.STOP) {
                return;
            }
            Terminal terminal = terminals[next];
            TransactionType type = terminal.draw();
            long startNanos = endNanos;
            if (delays != null) {
                delays.pause(threads, control, delays.keyingNanos(type));
                startNanos = System.nanoTime();
            }
            terminal.input(type, epochMillisAtZero + startNanos / 1_000_000, input);
            boolean committed = attempt(session, transactions, terminal);
            endNanos = System.nanoTime();
            if (committed) {
                terminal.tally().committed(input, transactions);
            }
            if (control.measured(admitted)) {
                if (committed) {
                    commits[type.ordinal()]++;
                    latencies.record(type, endNanos - startNanos);
                } else {
                    aborts[AbortReason.UNUSED_ITEM.ordinal()]++;
                }
            }
            completedOpaque(completed + 1);
            turnTransactions++;
            if (turnTransactions == transactionsPerTurn) {
                turnTransactions = 0;
                next = next + 1 == terminals.length ? 0 : next + 1;
                threads.giveWay();
            }
            if (delays != null) {
                delays.pause(threads, control, delays.thinkNanos(type, terminal.random()));
            }
        }
    }

    /** Runs one transaction until it commits or its input makes it roll back. */
    private boolean attempt(TpccSession session, TpccTransactions transactions, Terminal terminal) {
        for (int attempt = 1; ; attempt++) {
            try {
                return transactions.execute(input);
            } catch (RuntimeException e) {
                AbortReason reason = adapter.retryReason(e);
                if (reason == null) {
                    throw e;
                }
                session.rollback();
                failedAttempt(attempt, reason, e, terminal);
            }
        }
    }

    private void failedAttempt(int attempt, AbortReason reason, RuntimeException e, Terminal terminal) {
        if (control.phase() == RunControl.MEASURE || control.measured(RunControl.MEASURE)) {
            aborts[reason.ordinal()]++;
            retries++;
        }
        if (attempt >= ATTEMPTS_MAX) {
            throw new IllegalStateException(
                    "transaction lost every attempt type=" + input.type + " attempts=" + attempt + " lastReason="
                            + reason + ": fewer sessions or a weaker isolation level may help",
                    e);
        }
        if (attempt >= ATTEMPTS_UNTIL_PAUSE) {
            long nanosMax = Math.min(RETRY_PAUSE_NANOS_MIN * attempt, RETRY_PAUSE_NANOS_MAX);
            threads.pause(1 + (long) (terminal.random().nextDouble() * nanosMax));
        }
    }

    /** Transactions brought to an end so far, warm-up included; a stale value only delays the progress display. */
    public long completedOpaque() {
        return (long) COMPLETED.getOpaque(this);
    }

    private void completedOpaque(long value) {
        COMPLETED.setOpaque(this, value);
    }

    /** Measured commits of a type. */
    public long commits(TransactionType type) {
        return commits[type.ordinal()];
    }

    /** Measured attempts that ended in a rollback for a reason. */
    public long aborts(AbortReason reason) {
        return aborts[reason.ordinal()];
    }

    /** Measured attempts that were followed by another one with the same input. */
    public long retries() {
        return retries;
    }
}
