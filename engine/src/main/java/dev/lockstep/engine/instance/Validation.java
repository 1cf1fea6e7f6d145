package dev.lockstep.engine.instance;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.PageAllocator;
import dev.lockstep.engine.btree.TreeContext;
import dev.lockstep.engine.btree.TreeWalk;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.catalog.TableState;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The deep check of a database at rest: every page of every tree, every page reachable exactly once, latches and locks
 * at rest, the pool's bookkeeping.
 */
public final class Validation {
    private final Instance instance;
    private final TreeContext context = new TreeContext();

    Validation(Instance instance) {
        this.instance = instance;
    }

    /**
     * What was found to be in order.
     *
     * @param trees trees, that of the catalog included
     * @param nodes pages that are tree nodes
     * @param records records of all trees
     * @param ghosts deleted records that wait for their removal
     * @param pages pages in use
     */
    public record Report(int trees, long nodes, long records, long ghosts, int pages) {}

    Report run() {
        PageAllocator reached = new PageAllocator();
        reached.markAllocated(0);
        long nodes = 0;
        long records = 0;
        long ghosts = 0;
        List<BTree> trees = trees();
        for (BTree tree : trees) {
            TreeWalk walk = new TreeWalk(tree, context);
            TreeWalk.Counts counts = walk.validate();
            nodes += counts.nodes();
            records += counts.records();
            ghosts += counts.ghosts();
            walk.visitPages(page -> {
                if (!reached.markAllocated(page)) {
                    throw broken("a page is reached twice", "pageId", page);
                }
            });
        }
        requireSamePages(reached);
        requireAtRest();
        return new Report(trees.size(), nodes, records, ghosts, reached.allocatedCount());
    }

    private List<BTree> trees() {
        List<BTree> trees = new ArrayList<>();
        trees.add(instance.catalogTree());
        for (TableReference table : instance.catalog().tables()) {
            TableState state = table.state();
            trees.add(state.tree());
            state.indexes().forEach(index -> trees.add(index.tree()));
        }
        return trees;
    }

    private void requireSamePages(PageAllocator reached) {
        BitSet marked = BitSet.valueOf(instance.environment().allocator().bitmap());
        BitSet inUse = BitSet.valueOf(reached.bitmap());
        BitSet differing = (BitSet) marked.clone();
        if (instance.hasLostPages()) {
            differing.and(inUse);
        }
        differing.xor(inUse);
        int page = differing.nextSetBit(0);
        if (page >= 0) {
            String rule =
                    inUse.get(page) ? "a page in use is marked as free" : "a page marked as in use is not reached";
            throw broken(rule, "pageId", page);
        }
    }

    private void requireAtRest() {
        instance.pool().validate();
        instance.locks().validate();
        if (!instance.locks().isEmpty()) {
            throw broken("a lock is held at rest", "locks", instance.locks().statistics());
        }
        if (instance.transactions().versionsVolatile() != null) {
            throw broken(
                    "versions are kept for a snapshot at rest",
                    "snapshots",
                    instance.transactions().snapshotStatistics());
        }
        for (BTree tree : trees()) {
            if (tree.gapsMayBeLocked()) {
                throw broken("a range scan was not ended", "treeId", tree.treeId());
            }
        }
    }

    private static CorruptionException broken(String rule, String name, Object value) {
        return new CorruptionException(Message.of(rule)
                .with(name, value)
                .remedy("restore the database from a backup; validate() wants a database without running"
                        + " transactions"));
    }
}
