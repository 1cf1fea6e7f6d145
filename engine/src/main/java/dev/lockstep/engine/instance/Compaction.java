package dev.lockstep.engine.instance;

import dev.lockstep.engine.CompactionReport;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.ProgressListener.Stage;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.btree.PageAllocator;
import dev.lockstep.engine.btree.StructureModification;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.recovery.Checkpointer;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.Waiter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the data file shorter while transactions run: moves nodes from its end into free pages before, and cuts the end
 * off.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A move is one system change, of the moved node and its parent, under both latches: whoever walks the tree meets
 *       the node in one of the two places, and a crash leaves it in one of them.
 *   <li>While nodes of a table are moved, its intention lock is held, so its trees are not dropped meanwhile.
 *   <li>The file is cut only behind every page that was in use since a moment before the last checkpoint, and only if
 *       recovery from that checkpoint begins behind this moment: so it reads no record that changes a part of a page
 *       that is gone. Pages taken later raise the cut, and are written behind it only after it.
 *   <li>No backup runs meanwhile, whose older log would need the pages that are gone.
 * </ul>
 *
 * <p>Not thread-safe; one object compacts once.
 */
final class Compaction {
    /**
     * Rounds over all trees. A second one moves what changed places or was latched during the first; what is in use at
     * the end after three is what others have put there meanwhile.
     */
    private static final int ROUNDS_MAX = 3;

    /**
     * Checkpoints before the cut. What kept the first one back are, under load, transactions that have ended when the
     * second one begins; what keeps back three stays for long.
     */
    private static final int CHECKPOINTS_MAX = 3;

    private final Instance instance;
    private final PageFile pageFile;
    private final Checkpointer checkpointer;
    private final PageAllocator allocator;
    private final SessionCore session;
    private final StructureModification structure = new StructureModification();
    private final ProgressListener progress;
    private long movedCount;

    Compaction(Instance instance, PageFile pageFile, Checkpointer checkpointer, ProgressListener progress) {
        this.instance = instance;
        this.pageFile = pageFile;
        this.checkpointer = checkpointer;
        this.progress = progress;
        allocator = instance.environment().allocator();
        session = new SessionCore(instance);
    }

    CompactionReport run() {
        try (Arena arena = Arena.ofConfined()) {
            int pagesBefore = pageFile.pageCount();
            MemorySegment node = NodeEditor.scratchPage(arena);
            for (int round = 0; round < ROUNDS_MAX; round++) {
                long movedBefore = movedCount;
                moveAll(node);
                if (movedCount == movedBefore) {
                    break;
                }
            }
            boolean held = !cut();
            return new CompactionReport(
                    pagesBefore, pageFile.pageCount(), allocator.allocatedCount(), movedCount, held);
        } finally {
            session.close();
        }
    }

    private void moveAll(MemorySegment node) {
        moveTree(null, instance.catalogTree(), node);
        List<TableReference> tables = new ArrayList<>(instance.catalog().tables());
        for (int i = 0; i < tables.size(); i++) {
            TableReference table = tables.get(i);
            progress.progressed(Stage.MOVE_PAGES, i, tables.size());
            TableState state = table.stateOrNull();
            if (state == null) {
                continue;
            }
            List<BTree> trees = new ArrayList<>(List.of(state.tree()));
            state.indexes().forEach(index -> trees.add(index.tree()));
            for (BTree tree : trees) {
                moveTree(table, tree, node);
            }
        }
        progress.progressed(Stage.MOVE_PAGES, tables.size(), tables.size());
    }

    /** Moves the nodes of a tree that lie behind where the file could end, level by level from the leaves up. */
    private void moveTree(TableReference tableOrNull, BTree tree, MemorySegment node) {
        // Ends: at the level of the root, which does not move.
        for (int level = 1; moveChildren(tableOrNull, tree, level, node); level++) {
            instance.health().check();
        }
    }

    /** Moves children of the nodes of a level; false if the tree has no such level. */
    private boolean moveChildren(TableReference tableOrNull, BTree tree, int level, MemorySegment node) {
        byte[] key = {};
        // Ends because the upper fences of the nodes visited ascend.
        while (key != null) {
            if (tableOrNull != null && !beginOn(tableOrNull, tree)) {
                return false;
            }
            boolean isThere;
            try {
                structure.copyNode(tree, session.context(), key, key.length, level, node);
                isThere = Node.level(node, 0) == level;
                if (isThere) {
                    moveChildrenOf(tree, level, node);
                }
                if (tableOrNull != null) {
                    session.commit();
                }
            } catch (Throwable failure) {
                if (tableOrNull != null) {
                    session.rollbackAfter(failure);
                }
                throw failure;
            }
            if (!isThere) {
                return false;
            }
            key = Node.upperFence(node, 0);
        }
        return true;
    }

    /** Begins a transaction that keeps the tree from being dropped; false, and none, if it is or cannot be locked. */
    private boolean beginOn(TableReference table, BTree tree) {
        session.begin(
                Isolation.READ_COMMITTED,
                Durability.ASYNC,
                instance.options().lockTimeout().toNanos(),
                InstalledTime.nanoTime()
                        + instance.options().transactionTimeout().toNanos());
        try {
            session.open(table, LockMode.IS);
        } catch (LockstepException failure) {
            session.rollbackAfter(failure);
            if (failure.isRetryable() || table.isDropped()) {
                return false;
            }
            throw failure;
        }
        if (tree.isDropped()) {
            session.commit();
            return false;
        }
        return true;
    }

    private void moveChildrenOf(BTree tree, int level, MemorySegment node) {
        int count = Node.slotCount(node, 0);
        for (int i = 0; i <= count; i++) {
            int child = Node.child(node, 0, i);
            if (child >= allocator.allocatedCount()) {
                byte[] key = i == 0 ? Node.lowerFence(node, 0) : Node.key(node, 0, i - 1);
                instance.log().throttle(session.context().waiter());
                if (structure.relocate(tree, session.context(), key, key.length, level - 1, child)) {
                    movedCount++;
                }
            }
        }
    }

    /** Cuts the end of the file off; false if a running transaction keeps it. */
    private boolean cut() {
        allocator.beginCut();
        long cutLsn = instance.log().tailLsn();
        if (allocator.cutPageCount() >= pageFile.pageCount()) {
            return true;
        }
        for (int checkpoint = 0; checkpoint < CHECKPOINTS_MAX; checkpoint++) {
            checkpointer.checkpoint(true, new Waiter());
            if (checkpointer.lastRedoScanLsn() >= cutLsn) {
                pageFile.truncate(allocator::cutPageCount);
                return true;
            }
        }
        return false;
    }
}
