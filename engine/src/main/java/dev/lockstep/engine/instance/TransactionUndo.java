package dev.lockstep.engine.instance;

import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.OutOfFramesException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.operation.UndoOperation;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.UndoBuffer;
import dev.lockstep.engine.transaction.VersionStore;

/** Takes back changes of a session's transaction, the last one first. Used by one thread at a time. */
final class TransactionUndo {
    /** Attempts to read the pages for undoing one change. A medium that refuses three times will go on refusing. */
    private static final int ATTEMPTS_MAX = 3;

    private final Instance instance;
    private final TransactionContext context;
    private final OperationDriver driver;
    private final TransactionLeftovers leftovers;
    private final Log logOrNull;
    private final UndoOperation operation;

    TransactionUndo(
            Instance instance, TransactionContext context, OperationDriver driver, TransactionLeftovers leftovers) {
        this.instance = instance;
        this.context = context;
        this.driver = driver;
        this.leftovers = leftovers;
        logOrNull = instance.log();
        operation = new UndoOperation(instance.locks(), instance.transactions(), context);
    }

    /**
     * Takes back everything since a savepoint; locks stay. Entry by entry, so that a rollback that was cut short goes
     * on where it stopped: an entry goes when the page is as before, and what it leaves behind is noted by then. What
     * fails in between has the entry undone twice, which the operation notices.
     */
    void undoTo(int savepoint) {
        leftovers.freeUndone();
        UndoBuffer undo = context.undo();
        for (int entry = undo.entryCount() - 1; entry >= savepoint; entry--) {
            leftovers.reserveUndone();
            byte[] insertedStub = leftovers.insertedStub(undo, entry);
            undo(undo, entry);
            if (!operation.isRepeated()) {
                leftovers.noteUndone(undo, entry, insertedStub == null ? operation.replacedStub() : insertedStub);
            }
            VersionStore versions = instance.transactions().versionsVolatile();
            if (versions != null) {
                versions.beforeTruncation(context);
            }
            undo.truncate(entry);
            leftovers.freeUndone();
        }
    }

    private void undo(UndoBuffer undo, int entry) {
        if (logOrNull != null && logOrNull.nearlyFull()) {
            logOrNull.throttle(context.waiter());
        }
        for (int attempt = 1; !isUndone(undo, entry, attempt == ATTEMPTS_MAX); attempt++) {}
    }

    /**
     * A page that cannot be read now may be read at once after, as there may be memory: a rollback gives up less easily
     * than a statement.
     */
    private boolean isUndone(UndoBuffer undo, int entry, boolean isLastAttempt) {
        try {
            operation.start(
                    undo.tree(entry),
                    undo.kind(entry),
                    undo.key(entry),
                    undo.before(entry),
                    undo.changedFrom(entry),
                    undo.slotFlagsBefore(entry),
                    undo.previousLsn(entry));
            driver.runPlain(operation);
            return true;
        } catch (StorageException | DiskFullException | OutOfFramesException | OutOfMemoryError missing) {
            // A change that was cut short in the page has marked the instance.
            if (isLastAttempt || instance.health().isFailed()) {
                throw missing;
            }
            return false;
        }
    }
}
