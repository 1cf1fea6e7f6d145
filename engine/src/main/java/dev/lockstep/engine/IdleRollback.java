package dev.lockstep.engine;

import dev.lockstep.engine.TransactionGate.State;
import dev.lockstep.engine.file.EngineThreads;
import dev.lockstep.engine.instance.TransactionLimit;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.PinnedSThreadException;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.WaitReason;
import dev.lockstep.scheduler.Waiter;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.LongConsumer;

/**
 * Rolls a transaction back that holds more log than it may and whose thread does nothing: that thread may never call
 * again, and the log could not be cut for as long. The first checkpoint that finds the transaction puts its log in
 * doubt; if its thread has not called until a later one finds it again, it is taken from its thread and rolled back on
 * a thread of the engine. Its own thread, should it call after all, waits for that and gets a
 * {@link TransactionTooLargeException}.
 *
 * <p>A call that has found the state OPEN does nothing else to be safe from being rolled back under its hands, since
 * every statement would pay for it. It has said before that it is in the engine, by a plain store. So the taker first
 * changes the state, which turns later calls to a compare-and-set, then has the thread of the transaction come by a
 * safepoint, by asking for its stack, and only then looks whether a call is inside: a store that was made before the
 * state was read is seen then, as it would be with a fence behind it. (The asymmetry of biased locking: D. Dice, H.
 * Huang and M. Yang, "Asymmetric Dekker Synchronization", 2001.) The safepoint says nothing of a call that comes out
 * behind it: that it is outside is said by a store with release and read with acquire, so that who finds it outside
 * sees all that it has changed.
 *
 * <p>Invariants:
 * <ul>
 *   <li>One thread, the checkpointer's, brings the log in doubt and takes transactions; so between its look at a doubt
 *       and its compare-and-set nobody has doubted anew. ROLLBACK_ONLY may come anew, but is set by a call that goes
 *       out, or that was cut short and has said so before.
 *   <li>What is TAKEN belongs to the taker until it is ROLLED_BACK, or put back. One thread of the database rolls back
 *       what was taken, one after the other: no rollback waits for another transaction.
 *   <li>A transaction that waits inside the engine, for a lock, a page or the disk, is inside a call: it is left alone.
 *   <li>{@code returning} waits for the end of TAKEN, and is that of the transaction's own thread, of which there
 *       is one, so that no other takes its place: it is published before its thread looks at the state, and
 *       signalled after the state has changed.
 * </ul>
 */
final class IdleRollback implements LongConsumer {
    /** Between two looks of who blocks its thread: a small part of a rollback that reads a page. */
    private static final long BLOCKED_LOOK_NANOS = 100_000;

    private final TransactionGate gate;
    private final TransactionLimit limitOrNull;
    private volatile Waiter returning;
    private long transactionId;
    private long logBytes;

    IdleRollback(TransactionGate gate, TransactionLimit limitOrNull) {
        this.gate = gate;
        this.limitOrNull = limitOrNull;
    }

    /** The transaction holds more log than it may, says a checkpoint; it may be another one by now. */
    @Override
    public void accept(long tailLsn) {
        State seen = gate.state();
        if (seen == State.OPEN) {
            gate.changeState(State.OPEN, State.LOG_IN_DOUBT);
        } else if ((seen == State.LOG_IN_DOUBT || seen == State.ROLLBACK_ONLY)
                && isOutside()
                && gate.changeState(seen, State.TAKEN)) {
            rollBackTaken(seen, tailLsn);
        } else if (seen == State.TAKEN) {
            EngineThreads.bringThread(gate.core().instance().idleRollbacks());
        }
    }

    /**
     * Whether no call is inside the engine that has found the state OPEN. A virtual S-thread runs on its carrier alone,
     * whose stack is asked for instead: that of an unmounted virtual thread is had by submitting it once more.
     */
    private boolean isOutside() {
        SThread sThread = gate.core().context().sThread();
        Thread running = sThread == null ? gate.ownerThreadVolatile() : sThread.carrierThread();
        return running != null && running.getStackTrace() != null && !gate.isInEngine();
    }

    private void rollBackTaken(State seen, long tailLsn) {
        var context = gate.core().context();
        logBytes = context.logBytesHeld(tailLsn);
        transactionId = context.transactionId();
        // Its session may have begun another one since the checkpoint looked, or a call has just come in, or one has
        // been cut short since, which a rollback has to know.
        if (!context.holdsTooMuchLog(logBytes) || gate.isInEngine()) {
            putBack(seen);
            return;
        }
        Runnable task = this::rollBack;
        ThreadPoolExecutor rollbacks = gate.core().instance().idleRollbacks();
        try {
            rollbacks.execute(task);
        } catch (OutOfMemoryError noThread) {
            // The next checkpoint tries again, unless an earlier task's thread has come to this one.
            if (rollbacks.remove(task)) {
                putBack(seen);
            }
        }
    }

    private void putBack(State next) {
        gate.changeState(State.TAKEN, next);
        Waiter waiting = returning;
        if (waiting != null) {
            waiting.signal();
        }
    }

    private void rollBack() {
        try {
            gate.core().inherit();
            gate.core().rollback();
        } catch (RuntimeException | Error failure) {
            gate.core().instance().health().fail(failure);
        } finally {
            if (limitOrNull != null) {
                limitOrNull.leave();
            }
            putBack(State.ROLLED_BACK);
        }
    }

    /**
     * Waits until the transaction is not TAKEN; for its own thread. A failure of the wait would leave the call nowhere:
     * where the caller cannot be suspended, or there is no memory to note it, it blocks its thread. What it waits for
     * has a thread of its own.
     */
    void await() {
        if (gate.state() != State.TAKEN) {
            return;
        }
        try {
            awaitSignal();
        } catch (PinnedSThreadException | OutOfMemoryError cannotWait) {
            returning = null;
            awaitBlocking();
        }
    }

    private void awaitBlocking() {
        // Ends as below.
        while (gate.state() == State.TAKEN) {
            InstalledTime.parkNanos(this, BLOCKED_LOOK_NANOS);
        }
    }

    private void awaitSignal() {
        Waiter waiter = new Waiter();
        // Ends with the rollback, which ends like any other; or the database is marked failed, which ends it too.
        while (true) {
            waiter.prepare();
            returning = waiter;
            if (gate.state() != State.TAKEN) {
                returning = null;
                return;
            }
            waiter.awaitUninterruptibly(Waiter.NO_DEADLINE, WaitReason.OTHER);
        }
    }

    /** What the transaction's own thread is told that finds it ROLLED_BACK. */
    TransactionTooLargeException refusal() {
        return new TransactionTooLargeException(Message.of(
                        "the transaction held too much log and its thread did nothing, so it was rolled back")
                .with("transaction", transactionId)
                .with("logBytes", logBytes)
                .with("transactionLogBytes", gate.core().instance().options().transactionLogBytes())
                .remedy("call rollback() and run it again; commit sooner, or raise the option"
                        + " transactionLogBytes"));
    }
}
