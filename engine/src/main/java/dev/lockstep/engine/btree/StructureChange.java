package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.log.LogRecordBuffer;

/**
 * What changes of a tree's structure share: a walk that loads pages, new pages, latches and their release. Each change
 * is one atomic {@link SystemChange}, made while all its pages are latched, and is never undone.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Pages are latched parent before child and left before right; whoever fails to upgrade a version to a latch lets
 *       go of all others.
 *   <li>Nobody parks while pages are latched: frames were reserved and pages read before.
 *   <li>The record is in the log before a page changes that a walk can reach. An error while it is made or applied
 *       marks the instance failed; one before that leaves every page as it was.
 *   <li>No latch is held when a call returns or throws, and no image record is kept.
 * </ul>
 *
 * <p>Not thread-safe; one object serves one call at a time. The trees it changes are.
 */
abstract class StructureChange extends TreeDescent {
    /**
     * Attempts to catch parent and child unchanged before giving up with an error. Each failed attempt means that
     * another thread made progress on the same node, so the count is never reached in practice; it turns a corrupt
     * tree into an error instead of an endless loop.
     */
    static final int ATTEMPTS_MAX = 1_000_000;

    /** Frames taken before latching: the new right node and, at a root, the new child. */
    static final int FRAMES_RESERVED = 3;

    /** In place of the LSN of a change that was not made. */
    static final long NOT_MADE = -1;

    TreeContext context;

    /** Walks to the node of the level, loading pages on the way. */
    final void walk(BTree target, byte[] searched, int searchedBytes, int level) {
        aim(target, searched, searchedBytes, level);
        for (int stages = 0; stages < ATTEMPTS_MAX; stages++) {
            if (arrived() && validate()) {
                return;
            }
            if (arrived()) {
                restart();
            } else if (descend() == LOAD_PAGE) {
                pool.frame(neededPageId, context.waiter());
            }
        }
        throw tooManyAttempts(target);
    }

    /** Latches the node that the walk has reached, if nothing of it has changed. */
    final boolean latchNode() {
        if (!latches.tryUpgradeToExclusive(frame, version)) {
            return false;
        }
        context.latched();
        return true;
    }

    /** Latches a frame for a page that was just allocated; gives the page back if there is none. */
    final int newPage(int newPageId) {
        try {
            int newFrame = pool.newPage(newPageId, context.waiter());
            context.latched();
            return newFrame;
        } catch (Throwable failure) {
            tree.environment().allocator().free(newPageId);
            throw failure;
        }
    }

    /** Makes the record of a change that consists of the new contents of two nodes. */
    final void logImages(int firstPageId, long first, int secondPageId, long second) {
        LogRecordBuffer record = context.imageRecord(tree.environment());
        SystemChange.begin(record);
        SystemChange.addNodeImage(record, firstPageId, memory, first);
        SystemChange.addNodeImage(record, secondPageId, memory, second);
        record.finish();
    }

    /**
     * Releases a latched page that is no longer part of the tree since the change with that LSN, so that nobody who
     * remembers where a record was takes it for a leaf.
     */
    final void discard(int latchedPageId, long lsn) {
        pool.discard(latchedPageId, lsn);
        context.unlatched();
    }

    final void release(int latchedFrame) {
        latches.unlatchExclusive(latchedFrame);
        context.unlatched();
    }

    final void releaseUnchanged(int latchedFrame) {
        latches.unlatchExclusiveUnchanged(latchedFrame);
        context.unlatched();
    }

    static CorruptionException tooManyAttempts(BTree target) {
        return new CorruptionException(Message.of("a tree node could not be reached or latched")
                .with("treeId", target.treeId())
                .with("attempts", ATTEMPTS_MAX)
                .remedy("run validate(); restore the database from a backup if it reports damage"));
    }
}
