package dev.lockstep.engine;

import dev.lockstep.engine.instance.SessionCore;
import dev.lockstep.engine.instance.TransactionLimit;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.SThread;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The state of a session's transaction: who may call into the engine for it, and what its calls leave of it. Used by
 * the transaction's thread, but for what is said of others.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code state} is OPEN exactly between begin and the end of commit or rollback, but for ROLLBACK_ONLY. Whoever
 *       changes it from ENDED to BEGINNING is its own thread from then on, which alone changes it, except from OPEN to
 *       LOG_IN_DOUBT, and from there or from ROLLBACK_ONLY to TAKEN and ROLLED_BACK ({@link IdleRollback}). While it is
 *       TAKEN its own thread changes nothing of the core.
 *   <li>{@code inEngine} is set while a call is inside the engine, and stays set if a stack overflow ended it in the
 *       middle, nobody knows where. The transaction can then only be rolled back, which marks the database failed. It
 *       is set before the state is looked at: so who has changed the state and then finds it not set keeps calls out.
 *       It is reset by a store with release: so who finds it not set sees all that the call has done.
 *   <li>The transaction has a place among those that may be open from {@link #begin} until its state is ENDED or
 *       ROLLED_BACK.
 * </ul>
 */
final class TransactionGate {
    enum State {
        ENDED,
        /** A thread is about to open it; {@code owner} is still that of the transaction before. */
        BEGINNING,
        OPEN,
        /** Open, but another thread has seen it hold more log than it may; its own looks again. */
        LOG_IN_DOUBT,
        ROLLBACK_ONLY,
        /** An engine's thread is rolling it back, because its own has not been seen for too long. */
        TAKEN,
        /** That is done, and its own thread has not ended it yet. */
        ROLLED_BACK
    }

    private static final VarHandle OWNER = handle("owner", Object.class);
    private static final VarHandle STATE = handle("state", State.class);
    private static final VarHandle IN_ENGINE = handle("inEngine", boolean.class);

    private final SessionCore core;

    /** Null without a limit. */
    private final TransactionLimit limit;

    private final IdleRollback idleRollback;

    /** A thread; or an S-thread that is none, since all on raw continuations share the thread of their carrier. */
    private Object owner;

    /** Volatile for {@link Database#close}, which must not miss a transaction that begins beside it. */
    private volatile State state = State.ENDED;

    private boolean inEngine;

    TransactionGate(SessionCore core) {
        this.core = core;
        limit = core.instance().transactionLimit();
        idleRollback = new IdleRollback(this, limit);
        core.context().onLogLimit(idleRollback);
    }

    private static VarHandle handle(String field, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(TransactionGate.class, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    SessionCore core() {
        return core;
    }

    /** Refuses a begin where the transaction before has not ended. */
    void requireEnded() {
        if (state == State.TAKEN && isOwner()) {
            idleRollback.await();
        }
        if (state == State.ROLLED_BACK) {
            throw idleRollback.refusal();
        }
        State seen = state;
        if (seen != State.ENDED) {
            throw seen == State.BEGINNING ? begunTwice() : stillOpen(seen);
        }
    }

    private static TransactionStateException stillOpen(State seen) {
        return new TransactionStateException(Message.of("the session's transaction is still open")
                .with("state", seen)
                .remedy("commit it or roll it back before the next begin"));
    }

    private static WrongThreadException begunTwice() {
        return new WrongThreadException(Message.of("two threads begin a transaction of one session")
                .with("caller", caller())
                .remedy("use a session of its own in every thread"));
    }

    /** Who asks, for messages. */
    private static Object caller() {
        SThread current = SThread.current();
        return current == null ? Thread.currentThread() : current.name();
    }

    /**
     * Opens it for the calls of the thread that asks, which have a transaction of the core from now on.
     *
     * @throws WrongThreadException if another thread was faster, and nothing is changed
     */
    void begin(TransactionOptions options) {
        if (!changeState(State.ENDED, State.BEGINNING)) {
            throw begunTwice();
        }
        if (limit == null) {
            open(options);
        } else {
            openWithinLimit(options);
        }
    }

    private void openWithinLimit(TransactionOptions options) {
        boolean entered = false;
        try {
            limit.enter();
            entered = true;
        } finally {
            if (!entered) {
                state = State.ENDED;
            }
        }
        open(options);
    }

    private void open(TransactionOptions options) {
        try {
            long now = InstalledTime.nanoTime();
            long lockWaitNanos = options.lockTimeout().toNanos();
            long deadlineNanos = now + options.timeout().toNanos();
            core.beginAs(options.kind());
            if (options.snapshot()) {
                core.beginSnapshot(options.durability(), lockWaitNanos, deadlineNanos, now);
            } else {
                core.begin(options.isolation(), options.durability(), lockWaitNanos, deadlineNanos, now);
            }
            // The core knows none but those of the database's scheduler.
            SThread sThread = core.context().sThread();
            owner = identity(sThread == null ? SThread.current() : sThread);
            state = State.OPEN;
        } finally {
            if (state == State.BEGINNING) {
                state = State.ENDED;
            }
            leavePlaceIfEnded();
        }
    }

    /** Called where a transaction has ended, or has not begun. */
    private void leavePlaceIfEnded() {
        if (limit != null && state == State.ENDED) {
            limit.leave();
        }
    }

    /** What tells the caller from every other thread. */
    private static Object identity(SThread sThread) {
        Thread thread = Thread.currentThread();
        return sThread == null || thread.isVirtual() ? thread : sThread;
    }

    private boolean isOwner() {
        Object expected = owner;
        return Thread.currentThread() == expected || (expected instanceof SThread && SThread.current() == expected);
    }

    void requireThread() {
        if (!isOwner()) {
            Object expected = owner;
            throw new WrongThreadException(Message.of("the transaction belongs to another thread")
                    .with("owner", expected instanceof SThread sThread ? sThread.name() : expected)
                    .with("caller", caller())
                    .remedy("use a session of its own in every thread"));
        }
    }

    void requireOpen() {
        requireThread();
        if (state != State.OPEN || inEngine) {
            requireOpenSlowly();
        }
    }

    private void requireOpenSlowly() {
        if (inEngine) {
            throw refusal();
        }
        enterWithStack();
        try {
            // If it does not throw: it was an earlier transaction of this session.
            core.requireLogLimit();
            leave();
        } catch (RuntimeException | Error failure) {
            failed(failure);
            throw failure;
        }
    }

    /** As {@link #enter}, where the call has not yet seen to it that there is stack enough for what it does. */
    void enterWithStack() {
        core.reserveStack();
        enter();
    }

    /** The thread goes into the engine: until it has come out no other ends the transaction. Throws if one has. */
    void enter() {
        inEngine = true;
        if (state != State.OPEN && !reopenOrLeave(false)) {
            throw refusal();
        }
    }

    /** The thread comes out of the engine. */
    void leave() {
        IN_ENGINE.setRelease(this, false);
    }

    /** The thread goes into the engine to commit. With the log in doubt too: a commit sets it free as well. */
    void enterToCommit() {
        requireThread();
        if (inEngine) {
            throw refusal();
        }
        core.reserveStackToEnd();
        enter();
    }

    /** As {@link #reopen}, but the thread has come out of the engine where the state is not OPEN, or that fails. */
    private boolean reopenOrLeave(boolean toRollBack) {
        boolean reopened = false;
        try {
            reopened = reopen(toRollBack);
        } finally {
            if (!reopened) {
                leave();
            }
        }
        return reopened;
    }

    /** Has the state be OPEN, if a doubt is all that is in the way, or also ROLLBACK_ONLY; false if it cannot be. */
    private boolean reopen(boolean toRollBack) {
        // Ends: each further turn means that another thread has changed the state, which goes on to ROLLED_BACK.
        while (true) {
            State seen = state;
            if (seen == State.TAKEN) {
                idleRollback.await();
            } else if (seen != State.LOG_IN_DOUBT && !(toRollBack && seen == State.ROLLBACK_ONLY)) {
                return seen == State.OPEN;
            } else if (changeState(seen, State.OPEN)) {
                return true;
            }
        }
    }

    /** Why a call is refused. */
    private LockstepException refusal() {
        idleRollback.await();
        State seen = state;
        if (seen == State.ROLLED_BACK) {
            return idleRollback.refusal();
        }
        boolean ended = seen == State.ENDED;
        return new TransactionStateException(
                Message.of(ended ? "the transaction has ended" : "the transaction can only be rolled back")
                        .with("state", seen)
                        .remedy(ended ? "begin a new one" : "call rollback() and try again"));
    }

    /** Decides what a failure leaves of the transaction. */
    void failed(Throwable failure) {
        failed(failure, isCallerError(failure));
    }

    void failed(Throwable failure, boolean goesOn) {
        failed(goesOn, core.isMisplaced(failure));
    }

    /**
     * Likewise, where one thread has run the statements of several transactions.
     *
     * @param misplaced whether it struck at a place that none of them knows
     */
    void failedInTeam(Throwable failure, boolean misplaced) {
        failed(isCallerError(failure), misplaced);
    }

    private static boolean isCallerError(Throwable failure) {
        return failure instanceof DuplicateKeyException
                || failure instanceof NullViolationException
                || failure instanceof RecordTooLargeException
                || failure instanceof SchemaException
                || failure instanceof ValueOutOfRangeException
                || failure instanceof ReadOnlyException
                || failure instanceof TransactionStateException;
    }

    private void failed(boolean goesOn, boolean misplaced) {
        State seen = state;
        // Ends: another thread changes it to LOG_IN_DOUBT once, and to TAKEN only where no call has come inside.
        while (!goesOn
                && (seen == State.OPEN || seen == State.LOG_IN_DOUBT)
                && !changeState(seen, State.ROLLBACK_ONLY)) {
            seen = state;
        }
        if (!misplaced) {
            leave();
        }
    }

    /** Commits, after {@link #enterToCommit}, and waits for the disk where nobody else will. */
    void commit(PendingCommit answerOrNull) {
        try {
            if (answerOrNull == null) {
                core.commit();
            } else {
                answerOrNull.add(core.commitUnanswered());
            }
            end();
        } catch (StackOverflowError full) {
            // No calls here: there may be no stack for them.
            state = State.ROLLBACK_ONLY;
            throw full;
        } catch (RuntimeException | Error failure) {
            end();
            throw failure;
        } finally {
            leavePlaceIfEnded();
        }
    }

    /**
     * Goes into the engine and rolls back, whatever the state.
     *
     * @param inherited whether the caller has just {@linkplain #inherits() become the owner}
     */
    void rollback(boolean inherited) {
        if (inEngine) {
            core.abandon();
            end();
            leavePlaceIfEnded();
            return;
        }
        inEngine = true;
        if (inherited) {
            // Who takes the transaction may have asked for the stack of the thread before.
            VarHandle.fullFence();
        }
        if (!reopenOrLeave(true)) {
            // Nothing else is left of it: what another thread has begun since is not ended.
            changeState(State.ROLLED_BACK, State.ENDED);
            return;
        }
        try {
            if (inherited) {
                core.inherit();
            }
            core.rollback();
            end();
        } catch (StackOverflowError full) {
            // No calls here: there may be no stack for them.
            state = State.ROLLBACK_ONLY;
            throw full;
        } catch (RuntimeException | Error failure) {
            end();
            throw failure;
        } finally {
            leavePlaceIfEnded();
        }
    }

    private void end() {
        state = State.ENDED;
        leave();
    }

    /** Makes the caller the owner if the thread that began the transaction has ended and left it. */
    boolean inherits() {
        Object dead = owner;
        return ownerHasEnded(dead) && OWNER.compareAndSet(this, dead, identity(SThread.current()));
    }

    /** Whether it has neither been committed nor rolled back, by whomever. */
    boolean isOpen() {
        State seen = state;
        return seen != State.ENDED && seen != State.ROLLED_BACK;
    }

    /**
     * Whether its thread has neither committed it nor rolled it back, whatever others have. One that is being begun is
     * nobody's yet who could end it.
     */
    boolean isUnfinished() {
        State seen = state;
        return seen != State.ENDED && seen != State.BEGINNING;
    }

    /**
     * Refuses to end the session while a thread begins a transaction of it.
     *
     * @throws WrongThreadException if one does
     */
    void requireNotBeginning() {
        if (state == State.BEGINNING) {
            throw new WrongThreadException(Message.of("another thread begins a transaction of the session")
                    .with("caller", caller())
                    .remedy("close it when that transaction has ended"));
        }
    }

    /** Whether only a rollback is left; another thread may ask. */
    boolean isRollbackOnly() {
        State seen = state;
        return seen == State.ROLLBACK_ONLY || seen == State.TAKEN;
    }

    /** Whether it is open and nobody can go on with it, because the thread that began it has ended. */
    boolean isOrphaned() {
        State seen = state;
        return seen != State.ENDED && seen != State.BEGINNING && ownerHasEnded(owner);
    }

    /**
     * Nothing that a thread has done is missed by who sees that it has ended. A virtual thread that its carrier has
     * lost, because the JVM could not suspend it, never ends as a thread, but as an S-thread.
     */
    private boolean ownerHasEnded(Object last) {
        if (last instanceof SThread sThread) {
            return sThread.hasEnded();
        }
        SThread bound = core.context().sThread();
        return last != null && (!((Thread) last).isAlive() || (bound != null && bound.hasEnded()));
    }

    /** The state; another thread may ask. */
    State state() {
        return state;
    }

    /** Changes the state, if it is as it was seen; another thread may. */
    boolean changeState(State seen, State next) {
        return STATE.compareAndSet(this, seen, next);
    }

    /** Whose the transaction is, or was; another thread may ask. An S-thread's is that of its carrier. */
    Thread ownerThreadVolatile() {
        Object last = OWNER.getVolatile(this);
        return last instanceof SThread sThread ? sThread.carrierThread() : (Thread) last;
    }

    /** Whether a call is inside the engine, as far as the asking thread can see; if not, it sees all that one did. */
    boolean isInEngine() {
        return (boolean) IN_ENGINE.getAcquire(this);
    }
}
