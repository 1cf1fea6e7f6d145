package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.lang.foreign.Arena;

/**
 * Splits, merges and root changes. Each is one atomic {@link SystemChange} of at most three pages, made while all of
 * them are latched, and is never undone: rolling a transaction back leaves the shape of the tree as it is.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The root keeps its page, but for {@link Relocation#moveRoot}; its fences stay minus and plus infinity.
 * </ul>
 *
 * <p>Not thread-safe; one object serves one call at a time. The trees it changes are.
 */
public final class StructureModification extends StructureChange {
    /**
     * A merge is tried when a leaf uses less than a quarter of its page, and done when the result fills at most 70 %,
     * so that the next inserts do not split it again.
     */
    private static final int UNDERFULL_BYTES = PageLayout.PAGE_BYTES / 4;

    /**
     * A leaf is tried when it has become smaller by that much since the last time, and when it is empty. Where both
     * neighbours are full, as beside a queue that is served from its head, each try is two walks for nothing.
     */
    private static final int BYTES_BETWEEN_TRIES = UNDERFULL_BYTES / 4;

    private static final int MERGED_BYTES_MAX = PageLayout.PAGE_BYTES * 7 / 10;

    private boolean undoes;

    /** Makes an empty leaf in the tree's root page, which its caller has allocated. */
    static void createRoot(BTree tree, TreeContext context) {
        TreeEnvironment environment = tree.environment();
        environment.pool().reserveFrames(FRAMES_RESERVED, context.waiter());
        int frame = environment.pool().newPage(tree.rootPageId(), context.waiter());
        context.latched();
        long page = BufferPool.address(frame);
        try {
            NodeEditor.format(environment.memory(), page, tree.rootPageId(), tree.treeId(), 0, KeyBytes.EMPTY, null, 0);
            SystemChange.begin(context.imageRecord(environment));
            SystemChange.addNodeImage(context.imageRecord(environment), tree.rootPageId(), environment.memory(), page);
            context.imageRecord(environment).finish();
            environment.pool().markDirty(frame, environment.append(context.imageRecord(environment)));
        } catch (Throwable failure) {
            environment.failInsideChange(failure);
            throw failure;
        } finally {
            context.returnImageRecord(environment);
            environment.latches().unlatchExclusive(frame);
            context.unlatched();
        }
    }

    /**
     * Splits the leaf that covers the key, and its ancestors where they are full, until the leaf has
     * {@code bytesNeeded} free. May park, so the caller holds no latch.
     *
     * @param isUndo whether it is for a rollback, which must go through
     */
    public void makeRoom(
            BTree target, TreeContext caller, byte[] searched, int searchedBytes, int bytesNeeded, boolean isUndo) {
        context = caller;
        undoes = isUndo;
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            if (trySplit(target, searched, searchedBytes, 0, bytesNeeded)) {
                return;
            }
        }
        throw tooManyAttempts(target);
    }

    /** One attempt; true when the node has room. */
    private boolean trySplit(BTree target, byte[] searched, int searchedBytes, int level, int bytesNeeded) {
        if (undoes) {
            target.environment().pool().reserveFramesToUndo(FRAMES_RESERVED, context.waiter());
        } else {
            target.environment().pool().reserveFrames(FRAMES_RESERVED, context.waiter());
        }
        walk(target, searched, searchedBytes, level);
        if (parentFrame < 0) {
            return splitRoot(bytesNeeded);
        }
        if (!latches.tryUpgradeToExclusive(parentFrame, parentVersion)) {
            return false;
        }
        context.latched();
        if (!latches.tryUpgradeToExclusive(frame, version)) {
            releaseUnchanged(parentFrame);
            return false;
        }
        context.latched();
        if (Node.freeBytes(memory, page) >= bytesNeeded) {
            releaseUnchanged(frame);
            releaseUnchanged(parentFrame);
            return true;
        }
        long parent = BufferPool.address(parentFrame);
        SplitPoint point = splitPoint(searched, searchedBytes);
        int separatorSpace = NodeEditor.separatorBytesNeeded(memory, parent, point.separatorBytes());
        if (Node.freeBytes(memory, parent) < separatorSpace) {
            int parentLevel = Node.level(memory, parent);
            releaseUnchanged(frame);
            releaseUnchanged(parentFrame);
            trySplit(target, searched, searchedBytes, parentLevel, separatorSpace);
            return false;
        }
        split(point, parent);
        return false;
    }

    /** Where to split the latched node; releases it and its parent where that cannot be said. */
    private SplitPoint splitPoint(byte[] searched, int searchedBytes) {
        try {
            return SplitPoint.choose(memory, page, searched, searchedBytes);
        } catch (Throwable failure) {
            releaseUnchanged(frame);
            releaseUnchanged(parentFrame);
            throw failure;
        }
    }

    /** Splits the latched node; the latched parent has room for the separator. Releases both. */
    private void split(SplitPoint point, long parent) {
        TreeEnvironment environment = tree.environment();
        int rightPageId;
        int rightFrame;
        try {
            rightPageId = environment.allocator().allocate();
            rightFrame = newPage(rightPageId);
        } catch (Throwable failure) {
            releaseUnchanged(frame);
            releaseUnchanged(parentFrame);
            throw failure;
        }
        long right = BufferPool.address(rightFrame);
        try {
            int level = Node.level(memory, page);
            int count = Node.slotCount(memory, page);
            byte[] separator = point.separator();
            NodeEditor.format(
                    memory, right, rightPageId, tree.treeId(), level, separator, Node.upperFence(memory, page), 0);
            NodeEditor.appendSlots(memory, page, level == 0 ? point.slot() : point.slot() + 1, count, memory, right);
            if (level > 0) {
                NodeEditor.setRightmostChild(memory, right, Node.rightmostChild(memory, page));
            }
            LogRecordBuffer record = context.imageRecord(environment);
            SystemChange.begin(record);
            SystemChange.addNodeImage(record, rightPageId, memory, right);
            SystemChange.addTruncate(record, pageId, point.slot(), separator, separator.length);
            SystemChange.addInsertSeparator(
                    record, PageLayout.pageId(memory, parent), childIndex, rightPageId, separator, separator.length);
            record.finish();
            long lsn = environment.append(record);
            NodeEditor.truncate(memory, page, point.slot(), separator);
            NodeEditor.insertSeparator(memory, parent, childIndex, separator, separator.length, rightPageId);
            pool.markDirty(rightFrame, lsn);
            pool.markDirty(frame, lsn);
            pool.markDirty(parentFrame, lsn);
        } catch (Throwable failure) {
            environment.failInsideChange(failure);
            throw failure;
        } finally {
            context.returnImageRecord(environment);
            release(rightFrame);
            release(frame);
            release(parentFrame);
        }
    }

    /** Moves the contents of a full root one level down; true when the root has room after all. */
    private boolean splitRoot(int bytesNeeded) {
        if (!latches.tryUpgradeToExclusive(frame, version)) {
            return false;
        }
        context.latched();
        if (Node.freeBytes(memory, page) >= bytesNeeded) {
            releaseUnchanged(frame);
            return true;
        }
        TreeEnvironment environment = tree.environment();
        int childPageId;
        int childFrame;
        try {
            childPageId = environment.allocator().allocate();
            childFrame = newPage(childPageId);
        } catch (Throwable failure) {
            releaseUnchanged(frame);
            throw failure;
        }
        long child = BufferPool.address(childFrame);
        try {
            int level = Node.level(memory, page);
            int flags = Node.nodeFlags(memory, page);
            NodeEditor.format(memory, child, childPageId, tree.treeId(), level, KeyBytes.EMPTY, null, 0);
            NodeEditor.appendSlots(memory, page, 0, Node.slotCount(memory, page), memory, child);
            NodeEditor.setRightmostChild(memory, child, Node.rightmostChild(memory, page));
            int lastInsert = Node.u16(memory, page + NodeLayout.LAST_INSERT_SLOT);
            NodeEditor.putU16(memory, child + NodeLayout.LAST_INSERT_SLOT, lastInsert);
            NodeEditor.format(memory, page, pageId, tree.treeId(), level + 1, KeyBytes.EMPTY, null, flags);
            NodeEditor.setRightmostChild(memory, page, childPageId);
            logImages(childPageId, child, pageId, page);
            long lsn = environment.append(context.imageRecord(environment));
            pool.markDirty(childFrame, lsn);
            pool.markDirty(frame, lsn);
        } catch (Throwable failure) {
            environment.failInsideChange(failure);
            throw failure;
        } finally {
            context.returnImageRecord(environment);
            release(childFrame);
            release(frame);
        }
        return false;
    }

    /**
     * Merges the node of the level that covers the key with a neighbour, and so on upwards, where it has become
     * nearly empty. Gives up without an error when another thread is at work there: a later removal tries again.
     */
    public void mergeIfUnderfull(BTree target, TreeContext caller, byte[] searched, int searchedBytes) {
        context = caller;
        for (int level = 0; level < PageLayout.PAGE_BYTES; level++) {
            if (!mergeLevel(target, searched, searchedBytes, level, true)
                    && !mergeLevel(target, searched, searchedBytes, level, false)) {
                return;
            }
        }
    }

    private boolean mergeLevel(BTree target, byte[] searched, int searchedBytes, int level, boolean intoLeft) {
        walk(target, searched, searchedBytes, level);
        return parentFrame >= 0 && isUnderfull(memory, page) && tryMerge(intoLeft);
    }

    /** Whether a node uses so little of its page that a merge is worth trying. */
    public static boolean isUnderfull(NativeMemory memory, long node) {
        return usedBytes(memory, node, Node.freeBytes(memory, node)) < UNDERFULL_BYTES;
    }

    /** Without the fences: those of long keys take more than an underfull node, and a merge drops two of them. */
    private static int usedBytes(NativeMemory memory, long node, int freeBytes) {
        int upperFenceBytes = Node.hasUpperFence(memory, node) ? Node.upperFenceBytes(memory, node) : 0;
        return PageLayout.PAGE_BYTES - freeBytes - Node.lowerFenceBytes(memory, node) - upperFenceBytes;
    }

    /**
     * Whether a merge of a leaf is to be tried behind a removal from it.
     *
     * @param freeBytesBefore what was free before the removal
     */
    public static boolean isMergeDue(NativeMemory memory, long leaf, int freeBytesBefore) {
        int usedBytes = usedBytes(memory, leaf, Node.freeBytes(memory, leaf));
        int usedBytesBefore = usedBytes(memory, leaf, freeBytesBefore);
        return usedBytes < UNDERFULL_BYTES
                && (usedBytes / BYTES_BETWEEN_TRIES != usedBytesBefore / BYTES_BETWEEN_TRIES
                        || Node.slotCount(memory, leaf) == 0);
    }

    private boolean tryMerge(boolean intoLeft) {
        long parent = BufferPool.address(parentFrame);
        int separatorCount = Node.slotCount(memory, parent);
        if (separatorCount == 0) {
            return tryCollapseRoot();
        }
        int leftIndex = intoLeft ? childIndex - 1 : childIndex;
        if (leftIndex < 0 || leftIndex >= separatorCount) {
            return false;
        }
        int siblingPageId = Node.child(memory, parent, childIndex == leftIndex ? leftIndex + 1 : leftIndex);
        if (!latches.validateAcquire(parentFrame, parentVersion)) {
            return false;
        }
        int siblingFrame = pool.frame(siblingPageId, context.waiter());
        if (siblingFrame == BufferPool.NOT_RESIDENT) {
            // Without a file: another merge has taken it away since.
            return false;
        }
        long siblingVersion = latches.optimisticVersionAcquire(siblingFrame);
        if (pool.pageIdOpaque(siblingFrame) != siblingPageId
                || !latches.tryUpgradeToExclusive(parentFrame, parentVersion)) {
            return false;
        }
        context.latched();
        boolean nodeIsLeft = childIndex == leftIndex;
        int leftFrame = nodeIsLeft ? frame : siblingFrame;
        int rightFrame = nodeIsLeft ? siblingFrame : frame;
        if (!latches.tryUpgradeToExclusive(leftFrame, nodeIsLeft ? version : siblingVersion)) {
            releaseUnchanged(parentFrame);
            return false;
        }
        context.latched();
        if (!latches.tryUpgradeToExclusive(rightFrame, nodeIsLeft ? siblingVersion : version)) {
            releaseUnchanged(leftFrame);
            releaseUnchanged(parentFrame);
            return false;
        }
        context.latched();
        return merge(parent, leftIndex, leftFrame, rightFrame);
    }

    /** Moves the right node's slots into the left one; all three are latched. Releases them. */
    private boolean merge(long parent, int leftIndex, int leftFrame, int rightFrame) {
        TreeEnvironment environment = tree.environment();
        long left = BufferPool.address(leftFrame);
        long right = BufferPool.address(rightFrame);
        int rightPageId = PageLayout.pageId(memory, right);
        long mergedLsn = NOT_MADE;
        try (Arena arena = Arena.ofConfined()) {
            byte[] separator = Node.key(memory, parent, leftIndex);
            NativeMemory joined = joined(arena, left, right, separator);
            if (joined != null) {
                LogRecordBuffer record = context.imageRecord(environment);
                int leftPageId = PageLayout.pageId(memory, left);
                SystemChange.begin(record);
                SystemChange.addNodeImage(record, leftPageId, joined, 0);
                SystemChange.addRemoveSeparator(record, PageLayout.pageId(memory, parent), leftIndex);
                record.finish();
                long lsn = environment.append(record);
                environment.allocator().leaves(rightPageId);
                NativeMemory.copy(joined, 0, memory, left, PageLayout.PAGE_BYTES);
                NodeEditor.removeSeparator(memory, parent, leftIndex);
                pool.markDirty(leftFrame, lsn);
                pool.markDirty(parentFrame, lsn);
                mergedLsn = lsn;
            }
        } catch (Throwable failure) {
            environment.failInsideChange(failure);
            throw failure;
        } finally {
            context.returnImageRecord(environment);
            if (mergedLsn != NOT_MADE) {
                discard(rightPageId, mergedLsn);
            } else {
                release(rightFrame);
            }
            release(leftFrame);
            release(parentFrame);
        }
        if (mergedLsn != NOT_MADE) {
            environment.allocator().free(rightPageId);
        }
        return mergedLsn != NOT_MADE;
    }

    /** The merged node in a page of its own, or null where it would be too full. */
    private NativeMemory joined(Arena arena, long left, long right, byte[] separator) {
        int level = Node.level(memory, left);
        if (Node.level(memory, right) != level) {
            throw wrongLevel();
        }
        byte[] lower = Node.lowerFence(memory, left);
        byte[] upper = Node.upperFence(memory, right);
        int prefix = upper == null ? 0 : KeyBytes.commonPrefix(lower, lower.length, upper, upper.length);
        int bytes = NodeLayout.SLOTS + lower.length + (upper == null ? 0 : upper.length);
        bytes += slotBytes(left, prefix) + slotBytes(right, prefix);
        if (level > 0) {
            bytes += NodeLayout.SLOT_BYTES + NodeLayout.INNER_CELL_HEADER_BYTES + separator.length;
        }
        if (bytes > MERGED_BYTES_MAX) {
            return null;
        }
        NativeMemory joined = NodeEditor.scratchPage(arena);
        NodeEditor.format(joined, 0, PageLayout.pageId(memory, left), tree.treeId(), level, lower, upper, 0);
        NodeEditor.appendSlots(memory, left, 0, Node.slotCount(memory, left), joined, 0);
        if (level > 0) {
            NodeEditor.setRightmostChild(joined, 0, Node.rightmostChild(memory, left));
            int at = Node.slotCount(joined, 0);
            NodeEditor.insertSeparator(joined, 0, at, separator, separator.length, Node.rightmostChild(memory, right));
        }
        NodeEditor.appendSlots(memory, right, 0, Node.slotCount(memory, right), joined, 0);
        return joined;
    }

    /** Slots and cells of a node, with a prefix of another length; known without a look at each. */
    private int slotBytes(long node, int newPrefix) {
        int slotBytes = NodeLayout.SLOT_BYTES + Node.prefixBytes(memory, node) - newPrefix;
        return Node.cellBytes(memory, node) + Node.slotCount(memory, node) * slotBytes;
    }

    /** A root with a single child takes over the child's contents; the tree becomes one level lower. */
    private boolean tryCollapseRoot() {
        if (pool.pageIdOpaque(parentFrame) != tree.rootPageId()
                || !latches.tryUpgradeToExclusive(parentFrame, parentVersion)) {
            return false;
        }
        context.latched();
        if (!latches.tryUpgradeToExclusive(frame, version)) {
            releaseUnchanged(parentFrame);
            return false;
        }
        context.latched();
        TreeEnvironment environment = tree.environment();
        long root = BufferPool.address(parentFrame);
        long collapsedLsn = NOT_MADE;
        try {
            int level = Node.level(memory, page);
            int flags = Node.nodeFlags(memory, root);
            environment.allocator().leaves(pageId);
            NodeEditor.format(memory, root, tree.rootPageId(), tree.treeId(), level, KeyBytes.EMPTY, null, flags);
            NodeEditor.appendSlots(memory, page, 0, Node.slotCount(memory, page), memory, root);
            NodeEditor.setRightmostChild(memory, root, Node.rightmostChild(memory, page));
            SystemChange.begin(context.imageRecord(environment));
            SystemChange.addNodeImage(context.imageRecord(environment), tree.rootPageId(), memory, root);
            context.imageRecord(environment).finish();
            long lsn = environment.append(context.imageRecord(environment));
            pool.markDirty(parentFrame, lsn);
            collapsedLsn = lsn;
        } catch (Throwable failure) {
            environment.failInsideChange(failure);
            throw failure;
        } finally {
            context.returnImageRecord(environment);
            if (collapsedLsn != NOT_MADE) {
                discard(pageId, collapsedLsn);
            } else {
                release(frame);
            }
            release(parentFrame);
        }
        environment.allocator().free(pageId);
        return false;
    }

    private CorruptionException wrongLevel() {
        return new CorruptionException(Message.of("neighbouring tree nodes disagree")
                .with("treeId", tree.treeId())
                .with("pageId", pageId)
                .remedy("run validate(); restore the database from a backup if it reports damage"));
    }
}
