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
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.btree.PageAllocator;
import dev.lockstep.engine.btree.Relocation;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.recovery.Checkpointer;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.Waiter;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Makes the data file shorter while transactions run: moves nodes, roots and overflow pages from its end into free
 * pages before, and cuts the end off.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A move is one system change, of the moved page and the one that names it, under both latches: whoever walks the
 *       tree meets the page in one of the two places, and a crash leaves it in one of them ({@link Relocation}).
 *   <li>A root is moved under the exclusive lock of the catalog, an overflow page under that of its record's key.
 *   <li>While pages of a table are moved, its intention lock is held, so its trees are not dropped meanwhile.
 *   <li>The file is cut only behind every page that was in use since a moment before the last checkpoint, and only if
 *       recovery from that checkpoint begins behind this moment: so it reads no record that changes a part of a page
 *       that is gone. Pages taken later raise the cut, and are written behind it only after it.
 *   <li>No backup runs meanwhile, whose older log would need the pages that are gone.
 * </ul>
 *
 * <p>{@code node} is a copy of the node that is being visited. Not thread-safe; one object compacts once.
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
    private final Relocation relocation = new Relocation();
    private final ProgressListener progress;
    private NativeMemory node;
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
            node = NodeEditor.scratchPage(arena);
            for (int round = 0; round < ROUNDS_MAX; round++) {
                long movedBefore = movedCount;
                moveAll();
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

    private void moveAll() {
        move(null, instance.catalogTree());
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
                move(table, tree);
            }
        }
        progress.progressed(Stage.MOVE_PAGES, tables.size(), tables.size());
    }

    /** Moves the pages of a tree that lie behind where the file could end. */
    private void move(TableReference tableOrNull, BTree tree) {
        // Ends: at the level of the root, which has no parent.
        for (int level = 1; moveChildren(tableOrNull, tree, level); level++) {
            instance.health().check();
        }
        if (tableOrNull != null && isHigh(tree.rootPageId())) {
            moveRoot(tableOrNull, tree);
        }
        if (OverflowChain.mayBeIn(tree, session.context())) {
            moveChains(tableOrNull, tree);
        }
    }

    /** Whether a page lies behind where the file could end. */
    private boolean isHigh(int pageId) {
        return pageId >= allocator.allocatedCount();
    }

    /** Moves children of the nodes of a level; false if the tree has no such level, or is gone. */
    private boolean moveChildren(TableReference tableOrNull, BTree tree, int level) {
        byte[] next = {};
        // Ends because the upper fences of the nodes visited ascend.
        while (next != null) {
            byte[] key = next;
            boolean isThere = inTransaction(tableOrNull, tree, () -> {
                relocation.copyNode(tree, session.context(), key, key.length, level, node);
                if (Node.level(node, 0) == level) {
                    moveChildrenOf(tree, level);
                    return true;
                }
                return false;
            });
            if (!isThere) {
                return false;
            }
            next = Node.upperFence(node, 0);
        }
        return true;
    }

    private void moveChildrenOf(BTree tree, int level) {
        int count = Node.slotCount(node, 0);
        for (int i = 0; i <= count; i++) {
            int child = Node.child(node, 0, i);
            if (isHigh(child)) {
                byte[] key = i == 0 ? Node.lowerFence(node, 0) : Node.key(node, 0, i - 1);
                instance.log().throttle(session.context().waiter());
                if (relocation.moveNode(tree, session.context(), key, key.length, level - 1, child)) {
                    movedCount++;
                }
            }
        }
    }

    /** The root of a table that is being changed by others, or is gone, stays where it is. */
    private void moveRoot(TableReference table, BTree tree) {
        try {
            if (instance.schema().moveRoot(table, tree, relocation)) {
                movedCount++;
            }
        } catch (LockstepException failure) {
            if (!failure.isRetryable() && !table.isDropped()) {
                throw failure;
            }
        }
    }

    /** Moves overflow pages of the records of a tree, leaf by leaf. */
    private void moveChains(TableReference tableOrNull, BTree tree) {
        byte[] next = {};
        // Ends because the upper fences of the leaves visited ascend.
        while (next != null && allocator.hasPagesToMove()) {
            instance.health().check();
            byte[] key = next;
            boolean isThere = inTransaction(tableOrNull, tree, () -> {
                relocation.copyNode(tree, session.context(), key, key.length, 0, node);
                return true;
            });
            for (int slot = 0; isThere && slot < Node.slotCount(node, 0); slot++) {
                if (Node.slotFlags(node, 0, slot) == NodeLayout.SLOT_OVERFLOW) {
                    byte[] record = Node.key(node, 0, slot);
                    isThere = inTransaction(tableOrNull, tree, () -> {
                        moveChain(tree, record);
                        return true;
                    });
                }
            }
            next = isThere ? Node.upperFence(node, 0) : null;
        }
    }

    /**
     * Moves overflow pages of a record, unless somebody has its key locked: whoever has changed it may refer to its
     * pages, and whoever reads it is at work there. Waiting for them could end in a deadlock.
     */
    private void moveChain(BTree tree, byte[] key) {
        TransactionContext context = session.context();
        long name = LockName.ofKey(tree.treeId(), tree.leadingBytes(), key, 0, key.length);
        if (instance.locks().tryLock(context.lockOwner(), name, LockMode.KEY_X)) {
            movedCount += relocation.moveChain(
                    tree, context, key, key.length, allocator.allocatedCount(), stub -> instance.transactions()
                            .keepOverflow(context, tree, key, stub));
        }
    }

    /**
     * Does work in a transaction that keeps the tree from being dropped.
     *
     * @return the result of the work; false if the tree is gone or its table cannot be locked
     */
    private boolean inTransaction(TableReference tableOrNull, BTree tree, BooleanSupplier work) {
        session.begin(
                Isolation.READ_COMMITTED,
                Durability.ASYNC,
                instance.options().lockTimeout().toNanos(),
                InstalledTime.nanoTime()
                        + instance.options().transactionTimeout().toNanos());
        try {
            if (tableOrNull != null) {
                session.open(tableOrNull, LockMode.IS);
            }
            boolean result = !tree.isDropped() && work.getAsBoolean();
            session.commit();
            return result;
        } catch (LockstepException failure) {
            session.rollbackAfter(failure);
            if (failure.isRetryable() || (tableOrNull != null && tableOrNull.isDropped())) {
                return false;
            }
            throw failure;
        } catch (Throwable failure) {
            session.rollbackAfter(failure);
            throw failure;
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
