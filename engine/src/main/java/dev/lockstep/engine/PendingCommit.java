package dev.lockstep.engine;

import dev.lockstep.engine.instance.Instance;
import dev.lockstep.scheduler.Waiter;

/**
 * Takes over the wait for the disk from a commit of durability {@link Durability#SYNC}: {@link
 * Transaction#commit(PendingCommit)} returns when the commit is in the log, the session can run the next transaction of
 * whoever has one, and {@link #await()} answers when the commit is on disk. A server with many clients needs as many
 * sessions as transactions are under way, not as many as clients wait for the disk.
 *
 * <p>Until it is answered, a crash may take the commit back, so its outcome is to be told to nobody.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Everything handed over is on disk when the log is durable beyond {@code lsn}; 0 is: there is nothing to wait
 *       for. It never decreases: several commits handed over are answered together.
 *   <li>While the log is not durable beyond {@code lsn}, {@code waiter} is enlisted for it in the log's horizon: the
 *       log is forced for the commit whether anybody awaits it or not, and counts it among those who wait.
 * </ul>
 *
 * Used by one thread at a time; reused without allocation.
 */
public final class PendingCommit {
    private final Instance instance;
    private final Waiter waiter = new Waiter();
    private long lsn;

    PendingCommit(Instance instance) {
        this.instance = instance;
    }

    /**
     * Whether something handed over is not on disk yet.
     *
     * @return false if {@link #await()} would return at once
     */
    public boolean isPending() {
        return lsn != 0 && lsn >= instance.log().durableLsn();
    }

    /**
     * Waits until everything handed over is on disk. An interrupt does not end the wait; the flag is kept.
     *
     * @throws DatabaseFailedException if the log could not be written; whether the transactions survive is known after
     *     the next open
     */
    public void await() {
        if (isPending()) {
            instance.awaitDurableSignal(lsn, waiter);
        }
    }

    void require(Instance committing) {
        if (instance != committing) {
            throw new TransactionStateException(Message.of("the pending commit belongs to another database")
                    .with("pending", isPending())
                    .remedy("make it with newPendingCommit() of the database of the transaction"));
        }
    }

    /** Takes over the wait for a record, or nothing with 0. */
    void add(long waitLsn) {
        if (waitLsn > lsn) {
            // First, because it may fail for want of memory, and nobody would be signalled for an LSN that it missed.
            instance.log().signalWhenDurable(waitLsn, waiter);
            lsn = waitLsn;
        }
    }
}
