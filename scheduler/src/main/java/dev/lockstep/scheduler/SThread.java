package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/**
 * A thread that may take part in execution teams: threads about to run the same operation that take turns at switch
 * points, so that one member's instruction-cache misses are the others' hits (Harizopoulos and Ailamaki, STEPS,
 * section 4.1).
 *
 * <p>An S-thread announces each database operation with {@link #beginOperation}, the wrapper of the paper. There it
 * leaves its team and joins the list of the operation it is about to run; when that list becomes the running team,
 * its members execute the operation with turns at {@link #switchPoint()}. A member that waits or yields in the middle
 * leaves the team as a stray and rejoins at its next operation. A team waits for nobody.
 *
 * <p>Code between operations holds the carrier: scheduling is cooperative, and a computation of one second there
 * delays every S-thread of the same carrier by one second. The same holds inside an operation between its switch
 * points.
 *
 * <p>Invariants, all fields being touched by the carrier's thread alone unless said otherwise:
 * <ul>
 *   <li>An S-thread belongs to one carrier for life, and is in at most one of: the carrier's ready queue, one
 *       operation list, the running team. {@code state} says which; {@code next} and {@code previous} are that place's
 *       links.
 *   <li>{@code member} is set exactly while it is linked in the running team; {@code turns} implies {@code member} and
 *       {@code operating}.
 *   <li>With {@code latchesHeld} not 0 it stays mounted, but for a virtual one that waits long for another latch
 *       ({@link dev.lockstep.scheduler.latch.Backoff}).
 *   <li>{@code request} is {@code NONE} except between an S-thread's decision to leave its carrier and the carrier's
 *       reaction.
 * </ul>
 *
 * <p>Thread-safety: {@link #interrupt()}, {@link #join()}, {@link #name()}, {@link #carrierThread()},
 * {@link #failure()} and {@link #hasEnded()} may be called by any thread, everything else by the S-thread itself only.
 */
public abstract class SThread extends InboxNode {
    /** Why an S-thread gave up its carrier; what the carrier does next with it. */
    enum Request {
        /** Nothing was asked for: blocked by the JDK on behalf of application code, kind virtual only. */
        NONE,
        /** At a switch point: the next member's turn. */
        SWITCH,
        /** To be appended to the list of its next operation. */
        JOIN,
        /** Already in the list of its next operation. */
        JOINED,
        /** To be appended to the ready queue without being a stray. */
        TURN_OVER,
        /** To go on after its team, in the middle of a transaction. */
        LEAVE,
        /** To go on with its turn as soon as those are through who are in the middle of their work. */
        GIVE_WAY,
        /** A voluntary yield. */
        YIELD,
        /** To be left alone until woken. */
        WAIT,
        /** Its last round has returned. */
        END
    }

    /** Where an S-thread is. */
    enum State {
        /** Started, on its way to its carrier. */
        NEW,
        /** In the ready queue. */
        READY,
        /** In an operation list. */
        LISTED,
        /** In the running team, waiting for its turn. */
        TEAMED,
        /** Its work is on another carrier, or was until it becomes a member of the next team ({@link Lending}). */
        LENT,
        /** Its work is in the hands of a leader that was suspended ({@link StagedTeams}). */
        HELD,
        /** Mounted on its carrier. */
        RUNNING,
        /** Waiting to be woken. */
        WAITING,
        /** Its last round has returned. */
        ENDED
    }

    private static final Object[] NOTHING = {};
    private static final VarHandle INTERRUPTED;

    static {
        try {
            INTERRUPTED = MethodHandles.lookup().findVarHandle(SThread.class, "interrupted", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Scheduler scheduler;
    final CarrierThread carrier;

    /** See {@link Scheduler#start(String, int, int, Runnable)}; set before it begins. */
    int dataPart = Scheduler.NO_PART;

    /** See {@link #conflictsOn}; not changed while it waits to begin. */
    int conflictPart = Scheduler.NO_PART;

    SThread next;
    SThread previous;
    State state = State.NEW;
    Request request = Request.NONE;
    /** The operation begun last, -1 before the first. */
    int operation = -1;

    boolean operating;
    boolean member;

    /**
     * The part on which it is counted among those who have begun a transaction, see {@link TeamPolicy#beginsApart};
     * {@link Scheduler#NO_PART} while it is not.
     */
    int underWayPart = Scheduler.NO_PART;

    boolean turns;

    /** With {@link TeamExecution#SERIAL}: to be taken behind the operation. */
    int turnsPutOff;

    /** Of the operation under way, where {@link PairBarrier}s are met. */
    int pointsPassed;

    /** See {@link StagedTeams}. */
    StagedWork offered;

    /** What its work has thrown on another carrier, to be thrown here. */
    Throwable failureOfWork;

    SThread followers;
    boolean led;
    boolean leading;

    WaitReason waitReason;
    long deadlineNanos;
    int timerIndex = TimerHeap.ABSENT;

    /** Operations until {@code beginOperation} leaves its fast path, to take a sample and to look after others. */
    int untilSlow = 1;

    /** See {@link #prioritize}. */
    SThreadPriority priority = SThreadPriority.NORMAL;

    /** At most {@link Scheduler#OPERATIONS_PER_TURN_MAX}. */
    int operationsThisTurn;

    OperationList sampledList;
    long sampleStartNanos;

    /** Whether its next mount has to be told to the probe here, because the S-thread does not do it itself. */
    boolean mountUntold = true;

    /** Objects of those who watch, each of a class of its own. */
    private Object[] attachments = NOTHING;

    private final String name;
    private final BooleanSupplier round;
    private final CountDownLatch ended = new CountDownLatch(1);
    private int latchesHeld;

    @SuppressWarnings("unused")
    private boolean interrupted;

    private volatile Throwable failure;

    /** @param round runs again and again until it returns {@code false} or throws */
    SThread(Scheduler scheduler, CarrierThread carrier, String name, BooleanSupplier round) {
        this.scheduler = scheduler;
        this.carrier = carrier;
        this.name = name;
        this.round = round;
    }

    /**
     * Returns the S-thread that runs here, or {@code null} on any other thread. S-threads of kind
     * {@link SThreadKind#PLAIN} count as other threads. Takes about a nanosecond.
     */
    public static SThread current() {
        CarrierThread carrier = CurrentCarrier.get();
        return carrier == null ? null : carrier.running();
    }

    /**
     * Returns the thread on which it runs.
     *
     * @return its carrier, the same for life; null for kind {@link SThreadKind#PLAIN}
     */
    public final Thread carrierThread() {
        return carrier;
    }

    /** Returns the name given at the start. */
    public final String name() {
        return name;
    }

    /**
     * Keeps an object for whoever watches this S-thread: a thread-local of a raw continuation would be its carrier's.
     * For the S-thread itself and for the {@link OperationProbe}s that are called on it; one object of each class, in
     * the place of the one before.
     */
    public final void attach(Object watched) {
        for (int i = 0; i < attachments.length; i++) {
            if (attachments[i].getClass() == watched.getClass()) {
                attachments[i] = watched;
                return;
            }
        }
        Object[] more = Arrays.copyOf(attachments, attachments.length + 1);
        more[attachments.length] = watched;
        attachments = more;
    }

    /** Returns the object of this class that {@link #attach} has kept, {@code null} before. */
    public final <T> T attachment(Class<T> type) {
        for (Object kept : attachments) {
            if (kept.getClass() == type) {
                return type.cast(kept);
            }
        }
        return null;
    }

    /** Returns the number of members of the team that this S-thread is in, itself included; 0 if it is in none. */
    public final int teamMembers() {
        return member ? carrier.teamMembers() : 0;
    }

    /** Whether it was started by that scheduler: the numbers of operations of another one are not its own. */
    @SuppressWarnings("ReferenceEquality") // that very scheduler
    public final boolean runsOn(Scheduler other) {
        return scheduler == other;
    }

    /** Returns what this S-thread is made of. */
    public abstract SThreadKind kind();

    /**
     * The wrapper around every operation: ends the previous operation, leaves its team, and joins those that are
     * about to run {@code operation}. Returns when this S-thread's turn has come; meanwhile its carrier runs others.
     * Where teams are off for the operation it returns at once, except that a turn ends after
     * {@link Scheduler#OPERATIONS_PER_TURN_MAX} operations if others are waiting. Never gives up the carrier while a
     * latch is held.
     *
     * @param operation from {@link Scheduler#registerOperation}
     */
    public final void beginOperation(int operation) {
        CarrierThread here = carrier;
        if (here == null) {
            return;
        }
        OperationList next = here.list(operation);
        if (next != null && next.straight && !member && --untilSlow > 0) {
            next.countStraight();
            // A number and not the list, because storing a reference costs more than the rest of this method.
            this.operation = operation;
            operating = true;
        } else if (InstalledProbe.isPresent()) {
            beginTold(here, operation);
        } else {
            here.beginOperation(this, operation);
        }
        if (InstalledProbe.isPresent()) {
            InstalledProbe.begin(this, scheduler.probeNumber(operation));
        }
    }

    private void beginTold(CarrierThread here, int operation) {
        boolean begun = false;
        InstalledProbe.entered(this);
        try {
            here.beginOperation(this, operation);
            begun = true;
        } finally {
            // Otherwise the beginning is told next, which says the same.
            if (!begun) {
                InstalledProbe.returned(this);
            }
        }
    }

    /**
     * Says that the operation under way works on several rows. A turn counts each of them as an operation, so that it
     * is as long with batches as without. Does nothing in a team, where turns are not counted.
     *
     * @param rows at least 1
     */
    public final void countBatch(int rows) {
        if (!member) {
            lengthenTurn(rows - 1);
        }
    }

    /** Stays at the longest turn, so that one that nobody ends never overflows. */
    final void lengthenTurn(int operations) {
        operationsThisTurn = Math.min(operationsThisTurn + operations, Scheduler.OPERATIONS_PER_TURN_MAX);
    }

    /**
     * Whether a work that is offered to {@link #beginOperation(int, StagedWork)} can be done by another: teams are
     * formed for the operation and execute in stages. To be asked where such a work takes more than doing it alone.
     *
     * @param operation from {@link Scheduler#registerOperation}
     */
    public final boolean isStaged(int operation) {
        return carrier != null && carrier.isStaged(operation);
    }

    /**
     * Begins an operation like {@link #beginOperation(int)}, and offers what it will do to its team. With
     * {@link TeamExecution#STAGED} the first member whose turn comes does the works of all that have offered one.
     * Whether this one was among them, and how far it has come, the work knows.
     *
     * @param operation from {@link Scheduler#registerOperation}; all that is offered for it can be done together, and
     *     with {@link SchedulerOptions#consolidationOn} all that is offered for operations of its kind
     * @param work what is left to do of it when this returns, the caller does
     * @throws RuntimeException what the work throws, if it was this S-thread's turn to do those of others
     */
    public final void beginOperation(int operation, StagedWork work) {
        if (carrier == null || !carrier.stagesTeams()) {
            beginOperation(operation);
            return;
        }
        offered = work;
        try {
            beginOperation(operation);
            if (member && offered != null) {
                carrier.leadTeam(this);
            }
            if (failureOfWork != null) {
                throwFailureOfWork();
            }
        } finally {
            offered = null;
        }
    }

    private void throwFailureOfWork() {
        Throwable failure = failureOfWork;
        failureOfWork = null;
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        throw new IllegalStateException(
                "a work has thrown on another carrier what it cannot declare: failure=" + failure
                        + "; remedy: see the cause, and throw none but runtime exceptions and errors",
                failure);
    }

    /**
     * Marks the end of the operation, for the statistics. The S-thread keeps its carrier and, if it is in one, its
     * place in the team until its next operation begins, but passes no more switch points. Does nothing outside an
     * operation.
     */
    public final void endOperation() {
        if (member) {
            InstalledProbe.entered(this);
            carrier.endOperation(this);
        } else {
            operating = false;
        }
        InstalledProbe.end(this);
    }

    /**
     * A hand-placed point inside an operation, where the next member of the team takes its turn. Does nothing, in
     * about a nanosecond, outside a team, for a stray, for the last member, and where switch points are off; and is
     * skipped and counted while a latch is held (STEPS, 4.1.3).
     */
    public final void switchPoint() {
        if (turns) {
            carrier.switchPoint(this);
        }
    }

    /** Counts a latch, which suppresses switching until it is released. */
    public final void latchAcquired() {
        latchesHeld++;
    }

    /**
     * Counts a latch as released.
     *
     * @throws IllegalStateException if no latch is held
     */
    public final void latchReleased() {
        if (latchesHeld == 0) {
            throw new IllegalStateException("more latches released than acquired: sThread=" + name
                    + "; remedy: release each latch once, on the S-thread that has acquired it");
        }
        latchesHeld--;
    }

    /**
     * Counts all latches as released, after an error that has cut short whoever counted them: the S-thread can then
     * wait and switch again. Whoever owns the latches has to see to those that are really held.
     */
    public final void forgetLatches() {
        latchesHeld = 0;
    }

    /** Returns the number of latches counted as held. */
    public final int latchesHeld() {
        return latchesHeld;
    }

    /**
     * Gives up the turn of one's own accord, for example after every so many rows of a long scan: the next team and
     * everybody who is ready run first, and this S-thread continues as a stray until its next operation. Does nothing
     * while a latch is held or when nobody waits.
     */
    public final void yieldTurn() {
        if (carrier != null) {
            InstalledProbe.entered(this);
            try {
                carrier.yieldTurn(this);
            } finally {
                InstalledProbe.returned(this);
            }
        }
    }

    /**
     * To be called where the S-thread holds no database lock, before a transaction begins: the cheapest place to let
     * others run. Gives up the carrier if others wait and this turn has lasted {@link Scheduler#OPERATIONS_PER_TURN}
     * operations (fewer where many wait, see {@link Scheduler#OPERATIONS_PER_ROUND}); and interrupts the turn for those
     * that can go on in the middle of a transaction ({@link WaitReason#holdsUpOthers()}), as they hold locks. Otherwise
     * does nothing, as in a team of several.
     */
    public final void transactionBoundary() {
        if (carrier != null) {
            carrier.transactionBoundary(this);
        }
    }

    /**
     * Says which part of the data those transactions keep others from that this S-thread begins from now on: of those
     * that begin together ({@link TeamPolicy#waves}) no two name the same. At first it is the part with which the
     * S-thread was started ({@link Scheduler#start(String, int, int, Runnable)}); a transaction that locks less can
     * name a finer one, and one that is in nobody's way none at all, so that more of them begin together. Only a hint:
     * whoever is in another's way all the same waits for the lock. To be called by the S-thread itself, between
     * transactions.
     *
     * @param part any number from 0, or {@link Scheduler#NO_PART} where it is in nobody's way; 256 in a row are told
     *     apart
     * @throws IllegalArgumentException if the part is less than {@link Scheduler#NO_PART}
     */
    public final void conflictsOn(int part) {
        Scheduler.requirePart(part);
        conflictPart = part;
    }

    /**
     * Says whether this S-thread goes before others where it has waited and can go on; it does not at first. To be
     * called by the S-thread itself, and heeded from its next wait on. Those of high priority go first with one in so
     * many of normal priority between them ({@link Scheduler#RESUMED_IN_A_ROW_MAX}), whatever they do. Does nothing for
     * one of kind {@link SThreadKind#PLAIN}.
     */
    public final void prioritize(SThreadPriority newPriority) {
        priority = Objects.requireNonNull(newPriority, "newPriority");
    }

    /**
     * To be called where a transaction of this S-thread has released its locks: others may begin on its part of the
     * data. Where another thread has ended the transaction, they may when this S-thread begins the next.
     */
    @SuppressWarnings("ReferenceEquality") // that very S-thread
    public final void transactionEnded() {
        if (underWayPart != Scheduler.NO_PART && current() == this) {
            carrier.transactionEnded(this);
        }
    }

    /** To be called by this S-thread where its transaction has committed: by commits the scheduler judges its teams. */
    public final void transactionCommitted() {
        if (carrier != null) {
            carrier.transactionCommitted();
        }
    }

    /** Sets the interrupt flag, and ends a wait that can be interrupted. */
    public void interrupt() {
        setInterruptedVolatile(true);
        wake();
    }

    /** Returns whether the interrupt flag is set, and leaves it so. */
    public boolean isInterrupted() {
        return interruptedVolatile();
    }

    /**
     * Clears the interrupt flag of the caller: of its S-thread, where it is one, else of its thread. On an S-thread of
     * kind continuation {@link Thread#interrupted()} clears that of the carrier instead.
     *
     * @return whether it was set
     */
    public static boolean interrupted() {
        SThread caller = current();
        return caller == null ? Thread.interrupted() : caller.clearInterrupt();
    }

    /** Clears the flag of this S-thread, which is the caller; returns whether it was set. */
    boolean clearInterrupt() {
        return (boolean) INTERRUPTED.getAndSet(this, false);
    }

    /** Returns whether the body, or its last round, has returned or thrown. */
    public final boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** Returns what the body has thrown, or {@code null}. */
    public final Throwable failure() {
        return failure;
    }

    /**
     * Waits until the body has returned or thrown.
     *
     * @throws InterruptedException if the caller is interrupted first
     * @throws IllegalStateException if the caller is an S-thread of kind continuation, whose carrier would block
     */
    public final void join() throws InterruptedException {
        SThread caller = current();
        if (caller != null && caller.kind() == SThreadKind.CONTINUATION) {
            throw new IllegalStateException(
                    "join would block the carrier: sThread=" + caller.name() + "; remedy: wait with a Waiter");
        }
        ended.await();
    }

    @Override
    public final String toString() {
        return "SThread[name=" + name + " kind=" + kind() + "]";
    }

    /** Runs this S-thread on the calling carrier until it gives it up. */
    abstract void mount();

    /** Leaves the carrier; returns after having been mounted again, or with {@code false} at once if pinned. */
    abstract boolean giveUpCarrier();

    /** Leaves the carrier until woken; may return without reason. {@code request} is {@code WAIT}. */
    abstract void giveUpCarrierUntilWoken(Waiter blocker);

    /** Makes a waiting S-thread ready; does nothing otherwise. By any thread. */
    abstract void wake();

    /** Makes the first mount possible. By the starting thread. */
    abstract void begin();

    /** Leaves the carrier for a reason; returns whether it did, rather than being pinned. */
    final boolean suspend(Request why) {
        boolean left = false;
        InstalledProbe.left(this);
        try {
            request = why;
            left = giveUpCarrier();
            return left;
        } finally {
            // Also where the JVM had no memory or stack left to suspend.
            if (!left) {
                request = Request.NONE;
            }
            InstalledProbe.resumed(this);
        }
    }

    final void park(Waiter blocker, long deadline, WaitReason reason) {
        if (deadline != Waiter.NO_DEADLINE) {
            carrier.reserveTimer();
        }
        waitReason = reason;
        deadlineNanos = deadline;
        InstalledProbe.left(this);
        try {
            request = Request.WAIT;
            giveUpCarrierUntilWoken(blocker);
        } finally {
            request = Request.NONE;
            InstalledProbe.resumed(this);
        }
    }

    /** All rounds, on one stack. */
    final void runRounds() {
        boolean goesOn = true;
        // Ends when a round returns false or throws.
        while (goesOn) {
            goesOn = runRound();
        }
    }

    /** Runs a round; returns whether there is to be another one, else the S-thread has ended. */
    final boolean runRound() {
        boolean goesOn = false;
        try {
            boolean runsAgain = round.getAsBoolean();
            if (latchesHeld != 0) {
                throw new IllegalStateException("a round of an S-thread ended with latches held: sThread=" + name
                        + " latchesHeld=" + latchesHeld + "; remedy: release latches in a finally block");
            }
            if (runsAgain) {
                prepareRound();
            }
            goesOn = runsAgain;
        } catch (Throwable e) {
            failure = e;
            scheduler.reportUncaught(e);
        } finally {
            if (!goesOn) {
                latchesHeld = 0;
                if (carrier != null) {
                    InstalledProbe.entered(this);
                    carrier.endBody(this);
                }
            }
        }
        return goesOn;
    }

    /** Makes what the next round needs; what it throws ends the S-thread. */
    void prepareRound() {}

    /** It cannot be continued: has its carrier end it. */
    final void endLost(Throwable e) {
        failure = e;
        latchesHeld = 0;
        operating = false;
        turns = false;
        request = Request.END;
    }

    /** Its carrier has failed: it will never run again, and those who join it must not wait for that. */
    final void endWithCarrier(Throwable e) {
        failure = e;
        publishEnded();
    }

    final void publishEnded() {
        ended.countDown();
    }

    final boolean interruptedVolatile() {
        return (boolean) INTERRUPTED.getVolatile(this);
    }

    final void setInterruptedVolatile(boolean value) {
        INTERRUPTED.setVolatile(this, value);
    }
}
