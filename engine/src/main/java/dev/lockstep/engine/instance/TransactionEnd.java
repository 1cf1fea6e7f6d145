package dev.lockstep.engine.instance;

import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.SThread;

/**
 * How the transactions of a session end: by a commit, a rollback, or, where nobody knows what an error has left, by
 * being abandoned.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A commit releases its locks as soon as its record is in the log buffer, and is answered when the record, and
 *       whatever it has read of others that did the same, is on disk (durability sync).
 *   <li>After {@link #rollback} the database holds none of the transaction's changes, whatever error came before; in a
 *       database marked failed those that it holds stay locked.
 *   <li>Behind either end the lock owner holds nothing else, and the undo buffer is empty.
 * </ul>
 *
 * Used by one thread at a time; reused without allocation.
 */
final class TransactionEnd {
    /** Rollback has no list: it is no operation of the paper, and no time to wait for others. */
    private static final int ROLLBACK_PROBED = InstalledProbe.number("rollback");

    private final SessionCore core;
    private final TransactionUndo undo;
    private boolean answersWhenDurable;
    private boolean isDurableSoon;
    private boolean cleansUpLocked;
    private boolean abandoned;
    private boolean committed;
    private Runnable onCommitRecord;

    /** Of a session, whose parts it asks for, since thousands of idle sessions are to be small. */
    TransactionEnd(SessionCore core, TransactionUndo undo) {
        this.core = core;
        this.undo = undo;
    }

    /** A transaction begins whose commit is to be so durable. */
    void begins(Durability durability) {
        answersWhenDurable = durability == Durability.SYNC && core.instance.log() != null;
        isDurableSoon = durability != Durability.NONE;
        cleansUpLocked = false;
        onCommitRecord = null;
        committed = false;
        core.context.lockOwner().trackDependency(answersWhenDurable);
    }

    /** The transaction reads a snapshot, which is as durable as it has to be. */
    void readsSnapshot() {
        answersWhenDurable = false;
    }

    /** Whether the commit is answered when it is on disk. */
    boolean answersWhenDurable() {
        return answersWhenDurable;
    }

    /** Whether its last transaction was {@linkplain #abandon abandoned}. */
    boolean isAbandoned() {
        return abandoned;
    }

    /** Whether changes of its last transaction were committed, though who waits for the disk may not know it yet. */
    boolean hasCommitted() {
        return committed;
    }

    /** See {@link SessionCore#forceDurable}. */
    void forceDurable() {
        answersWhenDurable = core.instance.log() != null;
        core.context.lockOwner().trackDependency(answersWhenDurable);
        // What is committed may not be durable yet; from here on that matters.
        core.context.setCommittedBelow(0);
    }

    /** See {@link SessionCore#cleanUpLocked}. */
    void cleanUpLocked() {
        cleansUpLocked = true;
    }

    /** See {@link SessionCore#afterCommitRecord}. */
    void afterCommitRecord(Runnable action) {
        onCommitRecord = action;
    }

    /** Makes the transaction's changes permanent, and answers when they are as durable as was asked for. */
    void commit() {
        SThread sThread = beginCommit();
        try {
            long waitLsn = commitChanges();
            if (waitLsn != 0) {
                core.instance.log().awaitDurable(waitLsn, core.context.waiter());
            }
        } finally {
            endCommit(sThread);
        }
    }

    /**
     * Makes the transaction's changes permanent without waiting for the disk, nor asking for it.
     *
     * @return the LSN of the record that has to be durable before the commit may be answered; 0 if all is so already
     */
    long commitUnanswered() {
        SThread sThread = beginCommit();
        try {
            return commitChanges();
        } finally {
            endCommit(sThread);
        }
    }

    /** Where it fails, nothing of the commit has happened: the transaction ends by a rollback. */
    private SThread beginCommit() {
        SThread sThread = core.context.sThread();
        int commit = core.instance.operations().commit();
        try {
            if (sThread != null) {
                sThread.beginOperation(commit);
            } else {
                InstalledProbe.begin(null, core.instance.scheduler(), commit);
            }
        } catch (RuntimeException | Error failure) {
            if (!core.isMisplaced(failure)) {
                rollbackBehind(failure);
            }
            throw failure;
        }
        return sThread;
    }

    private void rollbackBehind(Throwable failure) {
        try {
            rollback();
        } catch (RuntimeException | Error another) {
            failure.addSuppressed(another);
        }
    }

    private static void endCommit(SThread sThread) {
        if (sThread == null) {
            InstalledProbe.end(null);
            return;
        }
        try {
            sThread.endOperation();
        } catch (OutOfMemoryError noTurn) {
            // See letOthersRun: the answer is known.
            return;
        }
    }

    /**
     * A switch point behind the commit. Where the JVM has no memory to suspend the S-thread it goes on instead, since
     * whoever is told of an error takes the transaction for one that was not committed.
     */
    private static void letOthersRun(SThread sThread) {
        try {
            sThread.switchPoint();
        } catch (OutOfMemoryError noTurn) {
            return;
        }
    }

    /** Commits; returns the LSN of the record to be durable before the answer, 0 if all is durable that has to be. */
    private long commitChanges() {
        core.reading().close();
        long commitLsn = endCommitted();
        boolean readUnlocked = core.context.isolation() == Isolation.READ_UNCOMMITTED && core.tableLocks.holdAny();
        if (cleansUpLocked) {
            cleanUp(true);
        }
        releaseLocks(core.instance.options().durability() == Durability.SYNC ? commitLsn : 0);
        try {
            if (core.context.sThread() != null) {
                core.context.sThread().transactionCommitted();
                letOthersRun(core.context.sThread());
            }
        } finally {
            if (!cleansUpLocked) {
                cleanUp(true);
                core.leftovers.releaseLocks();
            }
        }
        long waitLsn = Math.max(commitLsn, core.context.lockOwner().dependsOnLsn());
        if (answersWhenDurable && readUnlocked && commitLsn == 0) {
            // No lock has told what was read; it was in the log before it was in a page.
            waitLsn = core.instance.log().tailLsn() - 1;
        }
        core.context.lockOwner().clearDependsOnLsn();
        if (answersWhenDurable && waitLsn != 0 && waitLsn >= core.instance.log().durableLsn()) {
            return waitLsn;
        }
        boolean promisesNothing = answersWhenDurable || !isDurableSoon || commitLsn == 0 || core.instance.log() == null;
        return promisesNothing ? 0 : answerEarly(commitLsn);
    }

    /** The LSN to wait for where a commit may be answered before it is on disk: its own if the disk is too slow. */
    private long answerEarly(long commitLsn) {
        if (core.instance.options().durability() == Durability.SYNC) {
            // A log that is forced for those who wait has no clock that would do it for those who do not.
            core.instance.log().requestFlush(commitLsn);
        }
        return core.instance.log().holdsBackAnswers() ? commitLsn : 0;
    }

    /**
     * Logs the commit; its LSN, 0 where nothing was changed. A database marked failed commits nothing, reading neither:
     * what was read may be changes that could not be taken back.
     */
    private long endCommitted() {
        long lsn = 0;
        try {
            core.instance.health().check();
            if (core.context.transactionId() != 0) {
                lsn = logEnd(LogRecordType.COMMIT);
                committed = true;
                if (onCommitRecord != null) {
                    onCommitRecord.run();
                    onCommitRecord = null;
                }
            }
        } catch (RuntimeException | Error failure) {
            core.instance.health().fail(failure);
            boolean hasChanged = core.context.transactionId() != 0;
            core.context.logEnded();
            core.context.dropUndo();
            core.leftovers.forgetGhosts();
            core.context.lockOwner().clearDependsOnLsn();
            endLocks(!hasChanged);
            throw failure;
        }
        return lsn;
    }

    /**
     * Removes what the transaction has left behind. It has ended, so an error here changes nothing about its outcome:
     * the instance is marked failed, and the next call says why. Where it is memory that is missing, what is left stays
     * where it is: a change that was cut short in a page has marked the instance by itself.
     */
    private void cleanUp(boolean committed) {
        try {
            if (committed) {
                core.leftovers.removeCommitted();
                core.context.dropUndo();
            }
            core.leftovers.removeGhostsMet(cleansUpLocked);
        } catch (RuntimeException | Error failure) {
            if (failure instanceof OutOfMemoryError) {
                core.instance.pagesAreLost();
            } else {
                core.instance.health().fail(failure);
            }
            core.context.dropUndo();
            core.leftovers.forgetGhosts();
        }
    }

    private long logEnd(byte type) {
        long lsn = 0;
        if (core.instance.log() != null) {
            LogRecordBuffer record = core.context.record();
            record.begin(type, 0, core.context.transactionId(), core.context.lastLsn());
            record.finish();
            lsn = core.instance.log().append(record);
        }
        core.instance.transactions().ending(core.context, lsn);
        core.context.logEnded();
        core.instance.transactions().ended(core.context);
        return lsn;
    }

    /**
     * Ends a transaction of which an overflow of the stack has cut a call short at an unknown place. What the call was
     * changing, locks and latches included, cannot be trusted, so the instance is marked failed and nothing of it is
     * touched: that ends the waits for its locks and latches, and nobody begins anew.
     */
    void abandon() {
        core.instance.health().fail(new StackOverflowError("inside a call of the database"));
        abandoned = true;
        core.reading().close();
        if (core.context.sThread() != null) {
            core.context.sThread().forgetLatches();
        }
        core.context.logEnded();
        core.context.dropUndo();
        core.leftovers.forgetGhosts();
    }

    /** Takes back everything since a savepoint; locks stay. */
    void rollbackTo(int savepoint) {
        InstalledProbe.begin(core.context.sThread(), ROLLBACK_PROBED);
        try {
            undo.undoTo(savepoint);
        } finally {
            InstalledProbe.end(core.context.sThread());
        }
    }

    /** Takes back everything and releases everything. */
    void rollback() {
        InstalledProbe.begin(core.context.sThread(), ROLLBACK_PROBED);
        try {
            takeBackAll();
        } finally {
            InstalledProbe.end(core.context.sThread());
        }
    }

    private void takeBackAll() {
        core.reading().close();
        // Behind a commit whose wait for the disk has failed there is nothing to be taken back.
        boolean hasChanged = core.context.transactionId() != 0 && !committed;
        boolean isUndone = false;
        try {
            if (!hasChanged) {
                isUndone = true;
            } else if (!core.instance.health().isFailed()) {
                undo.undoTo(0);
                logEnd(LogRecordType.ABORT_END);
                isUndone = true;
            }
            if (cleansUpLocked) {
                cleanUp(false);
            }
        } catch (RuntimeException | Error failure) {
            // A rollback that cannot be finished leaves changes of an ended transaction in the pages.
            core.instance.health().fail(failure);
            core.leftovers.forgetGhosts();
            throw failure;
        } finally {
            core.context.logEnded();
            core.context.dropUndo();
            endLocks(isUndone);
            core.context.lockOwner().clearDependsOnLsn();
        }
        if (!isUndone) {
            core.leftovers.forgetGhosts();
        } else if (!cleansUpLocked) {
            cleanUp(false);
            core.leftovers.releaseLocks();
        }
    }

    /**
     * Ends with the locks of a transaction that was not committed. In a database marked failed it may not be undone
     * either, and then what it has changed stays locked: who is beyond a last look at the mark must not change that
     * once more, since what recovery undoes has to be what was there. Who waits for a lock is told of the failure.
     */
    private void endLocks(boolean isUndone) {
        if (isUndone) {
            releaseLocks(0);
        } else if (core.context.sThread() != null) {
            core.context.sThread().transactionEnded();
        }
    }

    private void releaseLocks(long commitLsn) {
        core.instance.locks().releaseAll(core.context.lockOwner(), commitLsn);
        core.context.endRangeScans();
        core.tableLocks.released();
        if (core.context.sThread() != null) {
            core.context.sThread().transactionEnded();
        }
    }
}
