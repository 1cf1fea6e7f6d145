package dev.lockstep.engine.instance;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.OutOfFramesException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TruncatedFileException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.operation.PurgeOperation;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.UndoBuffer;
import java.util.Arrays;

/**
 * Removes what the transactions of a session leave behind in the trees: the ghosts of deleted rows, and chains of
 * overflow pages that no row leads to any more. Used by one thread at a time.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The first {@code undoneCount} chains belong to changes that were undone, made for good or not made at all, and
 *       have no entry of undo, or none any more; nothing leads to them, and they are allocated.
 *   <li>The first {@code insertCount} keys are of inserts that the open transaction has undone, its last ones.
 * </ul>
 */
final class TransactionLeftovers {
    /** Room for the inserts of a usual transaction; one bulk load that failed should not stay in memory. */
    private static final int INSERTS_KEPT_MAX = 1 << 10;

    /**
     * Some 10 MB, beside an undo that may still be as large as ever: a rollback must not run out of memory. The ghosts
     * of further inserts stay for scans.
     */
    private static final int INSERTS_MAX = 1 << 17;

    private static final int INSERT_KEY_BYTES_MAX = 8 << 20;

    /** Ghosts removed before the table's lock is given to others: some hundred microseconds. */
    private static final int GHOSTS_PER_LOCK = 256;

    private final Instance instance;
    private final TransactionContext context;
    private final OperationDriver driver;
    private final LockManager locks;
    private final PurgeOperation purge;
    private BTree[] undoneTrees = new BTree[1];
    private byte[][] undoneStubs = new byte[1][];
    private int undoneCount;
    private BTree[] insertTrees = new BTree[1];
    private byte[][] insertKeys = new byte[1][];
    private int insertCount;
    private int insertKeyBytes;

    TransactionLeftovers(Instance instance, TransactionContext context, OperationDriver driver) {
        this.instance = instance;
        this.context = context;
        this.driver = driver;
        locks = instance.locks();
        purge = new PurgeOperation(locks, instance.transactions(), context, instance.health()::isFailed);
    }

    /** Removes what a committed transaction has left behind: the ghosts of its deletes, the values it replaced. */
    void removeCommitted() {
        UndoBuffer undo = context.undo();
        for (int entry = 0; entry < undo.entryCount(); entry++) {
            byte kind = undo.kind(entry);
            if (kind != UndoBuffer.INSERT && isOverflow(undo, entry) && !isGhost(undo, entry)) {
                release(undo, entry);
            }
            if (kind == UndoBuffer.DELETE) {
                removeGhost(undo.tree(entry), undo.key(entry), undo.frame(entry));
            }
        }
    }

    /**
     * Gives back the pages of a value that was replaced for good, behind those for whom it is kept. Where it cannot be
     * kept its pages stay as they are, for the next open to find.
     */
    private void release(UndoBuffer undo, int entry) {
        BTree tree = undo.tree(entry);
        byte[] stub = undo.before(entry);
        try {
            instance.transactions().keepOverflow(context, tree, undo.key(entry), stub);
        } catch (LockstepException | OutOfMemoryError failure) {
            if (!isMissing(failure)) {
                throw failure;
            }
            instance.pagesAreLost();
            return;
        }
        free(tree, stub, null);
    }

    /**
     * Frees a chain that nothing leads to. As {@link #freeUndone} where a page cannot be had.
     *
     * @param stub of the chain, which is kept
     * @param causeOrNull why nothing leads there, if that is a failure: it is told what keeps the chain from being
     *     freed
     */
    void free(BTree tree, byte[] stub, Throwable causeOrNull) {
        reserveUndone();
        undoneTrees[undoneCount] = tree;
        undoneStubs[undoneCount++] = stub;
        freeUndone(causeOrNull);
    }

    /** Makes room for one more chain and one more insert, so that noting them cannot fail. */
    void reserveUndone() {
        if (undoneCount == undoneStubs.length) {
            undoneTrees = Arrays.copyOf(undoneTrees, 2 * undoneCount);
            undoneStubs = Arrays.copyOf(undoneStubs, 2 * undoneCount);
        }
        if (insertCount == insertKeys.length && insertCount < INSERTS_MAX) {
            insertTrees = Arrays.copyOf(insertTrees, 2 * insertCount);
            insertKeys = Arrays.copyOf(insertKeys, 2 * insertCount);
        }
    }

    /** The stub of a large value that an entry of undo tells the insert of, or null. */
    byte[] insertedStub(UndoBuffer undo, int entry) {
        return undo.kind(entry) == UndoBuffer.INSERT && isOverflow(undo, entry) ? undo.before(entry) : null;
    }

    /**
     * Notes what a change that was undone leaves behind: the chain that no row leads to any more, to be freed by
     * {@link #freeUndone}, and the ghost of an insert, which goes with those met. Nobody else may ever come by there.
     *
     * @param stub of the chain, or null
     */
    void noteUndone(UndoBuffer undo, int entry, byte[] stub) {
        BTree tree = undo.tree(entry);
        if (stub != null) {
            undoneTrees[undoneCount] = tree;
            undoneStubs[undoneCount++] = stub;
        }
        if (undo.kind(entry) == UndoBuffer.INSERT
                && insertCount < INSERTS_MAX
                && insertKeyBytes < INSERT_KEY_BYTES_MAX) {
            byte[] key = undo.key(entry);
            insertTrees[insertCount] = tree;
            insertKeys[insertCount++] = key;
            insertKeyBytes += key.length;
        }
    }

    /**
     * Frees the chains that were noted, the last one first. Where a page cannot be had the rest stays for the next
     * call: nothing leads there, so nothing depends on it. One for which memory is missing may be freed in part, and is
     * left to the next open.
     */
    void freeUndone() {
        freeUndone(null);
    }

    private void freeUndone(Throwable causeOrNull) {
        try {
            while (undoneCount > 0) {
                freeChain(undoneTrees[undoneCount - 1], undoneStubs[undoneCount - 1]);
                forgetLastUndone();
            }
        } catch (LockstepException | OutOfMemoryError failure) {
            if (!isMissing(failure)) {
                throw failure;
            }
            if (failure instanceof OutOfMemoryError) {
                forgetLastUndone();
            }
            // The session may end, or the database be closed, before anybody tries again.
            instance.pagesAreLost();
            if (causeOrNull != null) {
                causeOrNull.addSuppressed(failure);
            }
            return;
        }
    }

    private void forgetLastUndone() {
        undoneCount--;
        undoneTrees[undoneCount] = null;
        undoneStubs[undoneCount] = null;
    }

    /**
     * Removes the ghosts of undone inserts, and those that others could not remove; where nothing may be written, or
     * the instance has failed, they stay for the next open.
     *
     * @param locked whether the transaction still has its locks, so that none may be given back here
     */
    void removeGhostsMet(boolean locked) {
        Log logOrNull = instance.log();
        for (int i = 0; i < insertCount; i++) {
            if (logOrNull != null && logOrNull.nearlyFull()) {
                logOrNull.throttle(context.waiter());
            }
            removeGhost(insertTrees[i], insertKeys[i], UndoBuffer.NO_FRAME);
            if (!locked && i % GHOSTS_PER_LOCK == GHOSTS_PER_LOCK - 1) {
                releaseLocks();
            }
        }
        for (int i = 0; i < context.ghostCount() && !instance.options().readOnly(); i++) {
            removeGhost(context.ghostTree(i), context.ghostKey(i), UndoBuffer.NO_FRAME);
        }
        forgetGhosts();
    }

    /** Leaves all ghosts noted where they are. */
    void forgetGhosts() {
        context.forgetGhosts();
        if (insertCount > INSERTS_KEPT_MAX) {
            insertTrees = new BTree[1];
            insertKeys = new byte[1][];
        } else {
            Arrays.fill(insertTrees, 0, insertCount, null);
            Arrays.fill(insertKeys, 0, insertCount, null);
        }
        insertCount = 0;
        insertKeyBytes = 0;
    }

    private void freeChain(BTree tree, byte[] stub) {
        driver.reserveStackToWait();
        OverflowChain.free(tree, context, stub);
    }

    /** Gives the locks back that were taken here after the transaction's own had been released. */
    void releaseLocks() {
        if (context.lockOwner().heldCount() > 0) {
            locks.releaseAll(context.lockOwner(), 0);
        }
    }

    /** Whether the change brought a ghost back, whose chain belongs to the delete before. */
    private static boolean isGhost(UndoBuffer undo, int entry) {
        return (undo.slotFlagsBefore(entry) & NodeLayout.SLOT_GHOST) != 0;
    }

    private static boolean isOverflow(UndoBuffer undo, int entry) {
        return (undo.slotFlagsBefore(entry) & NodeLayout.SLOT_OVERFLOW) != 0;
    }

    /**
     * Removes a ghost, which may lie in that frame, unless somebody is at work on the table as a whole: the tree may be
     * gone by then. The table lock that is taken here, where the transaction's own are released already, is given back
     * by {@link #releaseLocks}. Where a page cannot be had the ghost stays, for a scan that meets it later.
     */
    private void removeGhost(BTree tree, byte[] key, int frame) {
        if (!locks.tryLock(context.lockOwner(), LockName.ofTable(tree.lockTreeId()), LockMode.IX) || tree.isDropped()) {
            return;
        }
        purge.start(tree, key, frame);
        try {
            driver.runPlain(purge);
            if (purge.mayBeMerged()) {
                driver.mergeAfter(purge);
            }
        } catch (LockstepException | OutOfMemoryError failure) {
            if (!isMissing(failure)) {
                throw failure;
            }
            // The ghost stays as it is; the transaction has ended, and nothing of it depends on this.
            return;
        }
    }

    /** Whether it is a page or memory that could not be had: what is done here can be done later or not at all. */
    private static boolean isMissing(Throwable failure) {
        return failure instanceof OutOfMemoryError
                || failure instanceof StorageException
                || failure instanceof DiskFullException
                || failure instanceof OutOfFramesException
                || failure instanceof TruncatedFileException
                || failure instanceof CorruptionException;
    }
}
