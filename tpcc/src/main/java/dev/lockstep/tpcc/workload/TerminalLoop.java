package dev.lockstep.tpcc.workload;

import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.CommitAnswer;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * The work of one thread: it serves its terminals in turn, one transaction after the other, until the run stops.
 * Engines with a thread per terminal get loops of one terminal; an engine without concurrency control gets one loop
 * with all terminals, which then see every warehouse as often.
 *
 * <p>Terminals take turns of some {@linkplain #transactionsPerTurn transactions}, whatever the engine: a loop with
 * several goes on to the next one, and gives way to other loops. Nothing else makes a virtual thread give way between
 * transactions that meet no lock: one terminal would run for seconds, in the pages of its own warehouse, while the
 * others stand in the queue, with locks that they were granted meanwhile.
 *
 * <p>Invariants: counters are written by this loop's thread alone; {@code completed} may be read at any time, the
 * others after {@code ended} was called. {@code work} is null while no session is borrowed.
 */
public final class TerminalLoop implements TerminalBody {
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
    private final TerminalWorkPool pool;
    private final CommitAnswer answer;
    private final Terminal[] terminals;
    private final RunControl control;
    private final TerminalThreads threads;
    private final LatencyRecorder latencies;
    private final UserDelays delays;
    private final Consumer<TerminalLoop> ended;
    private final long[] commits = new long[2 * TransactionType.COUNT];
    private final long[] aborts = new long[2 * AbortReason.COUNT];
    private final long[] retries = new long[2];
    private final long[] deliveredOrders = new long[2];

    /** Where the last transaction was a Delivery that committed. */
    private int lastDelivered;

    private final long epochMillisAtZero;
    private final int transactionsPerTurn;
    private int next;
    private TerminalWork work;
    private long endNanos;
    private long completed;
    private volatile Thread thread;

    /**
     * @param adapter says which failures may be tried again
     * @param pool lends a session for each turn of a terminal, or for each transaction where users think in between
     * @param terminals those that this loop serves
     * @param transactionsPerTurn after how many transactions it is the next terminal's turn
     * @param delays keying and think times, or {@code null} for none
     * @param epochMillisAtZero the time since the epoch in milliseconds at which {@link InstalledTime#nanoTime} was 0
     * @param ended called as the last thing, whatever happened
     */
    public TerminalLoop(
            TpccAdapter adapter,
            TerminalWorkPool pool,
            Terminal[] terminals,
            int transactionsPerTurn,
            RunControl control,
            TerminalThreads threads,
            LatencyRecorder latencies,
            UserDelays delays,
            long epochMillisAtZero,
            Consumer<TerminalLoop> ended) {
        this.adapter = adapter;
        this.answer = adapter.newAnswer();
        this.pool = pool;
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

    /** The thread that runs this loop, or has run it; of an S-thread where it began. Null before. */
    public Thread thread() {
        return thread;
    }

    /**
     * The turn of one of its terminals. It is the last when the driver stops the run, or the transactions admitted are
     * used up.
     */
    @Override
    public boolean turn() {
        boolean goesOn = false;
        try {
            if (thread == null) {
                thread = Thread.currentThread();
                endNanos = InstalledTime.nanoTime();
            }
            goesOn = serve();
        } catch (Throwable e) {
            // Reported as the run's failure, an Error too: the driver would otherwise wait for this loop's terminals.
            control.fail(e);
        } finally {
            if (!goesOn) {
                ended.accept(this);
            }
        }
        return goesOn;
    }

    private boolean serve() {
        try {
            boolean goesOn = serveTurn();
            if (!goesOn && work != null) {
                pool.giveBack(work);
            }
            return goesOn;
        } catch (Throwable failure) {
            discard(failure);
            throw failure;
        }
    }

    /** Runs the transactions of a terminal's turn; returns false if the run has stopped. */
    private boolean serveTurn() {
        Terminal terminal = terminals[next];
        boolean turnEnds = false;
        for (int served = 1; !turnEnds; served++) {
            int admitted = control.admit();
            if (admitted == RunControl.STOP) {
                return false;
            }
            TransactionType type = terminal.draw();
            long startNanos = endNanos;
            if (delays != null) {
                delays.key(threads, control, delays.keyingNanos(type));
                startNanos = InstalledTime.nanoTime();
            }
            if (work == null) {
                work = pool.borrow();
                work.session().answerTo(answer);
            }
            boolean committed = transaction(work, terminal, type, admitted, startNanos);
            boolean waits = answer.isPending();
            turnEnds = waits || served == transactionsPerTurn;
            boolean givesWay = turnEnds || threads.endTurnsThemselves();
            if (givesWay || delays != null) {
                TerminalWork used = work;
                work = null;
                pool.giveBack(used);
            }
            if (waits) {
                answer.await();
            }
            endNanos = ended(type, admitted, committed, startNanos);
            if (givesWay && !waits) {
                threads.giveWay();
            }
            if (delays != null) {
                delays.think(threads, control, delays.thinkNanos(type, terminal.random()));
            }
        }
        next = next + 1 == terminals.length ? 0 : next + 1;
        return true;
    }

    /** Closes the session of a transaction that failed for good, which rolls back what it has left. */
    private void discard(Throwable cause) {
        if (work == null) {
            return;
        }
        try {
            pool.discard(work);
        } catch (RuntimeException | Error failure) {
            cause.addSuppressed(failure);
        }
    }

    /** Runs one transaction; returns whether it committed, and not whether that is on disk. */
    private boolean transaction(
            TerminalWork work, Terminal terminal, TransactionType type, int admitted, long startNanos) {
        terminal.input(type, epochMillisAtZero + startNanos / 1_000_000, work.input());
        threads.aboutToBegin(work.input());
        boolean committed = attempt(work, terminal, admitted);
        if (committed) {
            // Before it is on disk, because the rows go with the session: if it does not get there, the run has failed.
            terminal.tally().committed(work.input(), work.transactions());
            lastDelivered = work.transactions().deliveredOrders();
        }
        return committed;
    }

    /** Counts a transaction that has been answered; returns when that was. */
    private long ended(TransactionType type, int admitted, boolean committed, long startNanos) {
        long endNanos = InstalledTime.nanoTime();
        int phase = control.phaseOfEnded(admitted);
        if (committed) {
            commits[LatencyRecorder.index(phase, TransactionType.COUNT, type.ordinal())]++;
            latencies.record(phase, type, endNanos - startNanos);
            if (type == TransactionType.DELIVERY) {
                deliveredOrders[LatencyRecorder.index(phase, 1, 0)] += lastDelivered;
            }
        } else {
            aborts[LatencyRecorder.index(phase, AbortReason.COUNT, AbortReason.UNUSED_ITEM.ordinal())]++;
        }
        completedOpaque(completed + 1);
        return endNanos;
    }

    /** Runs one transaction until it commits or its input makes it roll back. */
    private boolean attempt(TerminalWork work, Terminal terminal, int admitted) {
        for (int attempt = 1; ; attempt++) {
            try {
                return work.transactions().execute(work.input());
            } catch (RuntimeException e) {
                AbortReason reason = adapter.retryReason(e);
                if (reason == null) {
                    throw e;
                }
                work.session().rollback();
                failedAttempt(work.input().type, admitted, attempt, reason, e, terminal);
            }
        }
    }

    private void failedAttempt(
            TransactionType type,
            int admitted,
            int attempt,
            AbortReason reason,
            RuntimeException e,
            Terminal terminal) {
        int phase = control.phaseOfEnded(admitted);
        aborts[LatencyRecorder.index(phase, AbortReason.COUNT, reason.ordinal())]++;
        retries[LatencyRecorder.index(phase, 1, 0)]++;
        if (attempt >= ATTEMPTS_MAX) {
            throw new IllegalStateException(
                    "transaction lost every attempt type=" + type + " attempts=" + attempt + " lastReason=" + reason
                            + ": fewer sessions or a weaker isolation level may help",
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
        return commits[LatencyRecorder.index(RunControl.MEASURE, TransactionType.COUNT, type.ordinal())];
    }

    /** Measured attempts that ended in a rollback for a reason. */
    public long aborts(AbortReason reason) {
        return aborts[LatencyRecorder.index(RunControl.MEASURE, AbortReason.COUNT, reason.ordinal())];
    }

    /** Orders that measured Deliveries delivered. */
    public long deliveredOrders() {
        return deliveredOrders[LatencyRecorder.index(RunControl.MEASURE, 1, 0)];
    }

    /** Measured attempts that were followed by another one with the same input. */
    public long retries() {
        return retries[LatencyRecorder.index(RunControl.MEASURE, 1, 0)];
    }
}
