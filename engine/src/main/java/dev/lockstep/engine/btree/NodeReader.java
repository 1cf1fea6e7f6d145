package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;

/**
 * Copies the nodes of a level one after the other, by key, beside changes of the tree, and without having the pool keep
 * their pages. Whoever goes on at the upper fence of each copy meets, for every key, the node that covered it at one
 * moment. Not thread-safe; the trees are.
 */
public final class NodeReader extends StructureChange {
    /** As a level: that of the root, whichever it is. */
    public static final int ROOT_LEVEL = 31;

    /** Memory for the copy: one page. */
    private final NativeMemory copy;

    /** @param copy memory for one page */
    public NodeReader(NativeMemory copy) {
        this.copy = copy;
        longScan = true;
    }

    /**
     * Copies the node of a level that covers the key, or the root where the tree is lower than that. May park, so the
     * caller holds no latch. The root does not move meanwhile.
     *
     * @return whether the copy is of that level
     * @throws CorruptionException if it is no node of the tree, or one below that level that is not the root, or leads
     *     out of the file or back
     */
    public boolean read(BTree target, TreeContext caller, byte[] searched, int level) {
        context = caller;
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            walk(target, searched, searched.length, level);
            NativeMemory.copy(memory, page, copy, 0, PageLayout.PAGE_BYTES);
            if (validate()) {
                return check(searched, level);
            }
        }
        throw tooManyAttempts(target);
    }

    private boolean check(byte[] searched, int level) {
        require(Node.isNode(copy, 0) && PageLayout.treeId(copy, 0) == tree.treeId(), "a child is a node of its tree");
        if (Node.level(copy, 0) != level) {
            require(pageId == tree.rootPageId(), "all leaves have the same depth");
            return false;
        }
        try {
            byte[] upper = upperFence();
            boolean ascends = upper == null || KeyBytes.compare(searched, searched.length, upper, upper.length) < 0;
            require(ascends, "fences of neighbours ascend");
            for (int i = 0; level > 0 && i < childCount(); i++) {
                require(child(i) > 0 && child(i) < pool.pageIdEnd(), "children are pages of the file");
            }
        } catch (IndexOutOfBoundsException outside) {
            throw new CorruptionException(broken("offsets and lengths stay within the page"), outside);
        }
        return true;
    }

    /** The page that was copied. */
    public int pageId() {
        return pageId;
    }

    /** Whether the tree has had overflow pages, if the copy is of its root. */
    public boolean mayHaveOverflow() {
        return (Node.nodeFlags(copy, 0) & NodeLayout.FLAG_HAS_OVERFLOW) != 0;
    }

    /** Where the next node of the level begins; null behind the last. */
    public byte[] upperFence() {
        return Node.upperFence(copy, 0);
    }

    /** Number of children of an inner node. */
    public int childCount() {
        return Node.slotCount(copy, 0) + 1;
    }

    public int child(int index) {
        return Node.child(copy, 0, index);
    }

    /** Number of records of a leaf. */
    public int recordCount() {
        return Node.slotCount(copy, 0);
    }

    /** The first overflow page of a record of a leaf; 0 where it has none, or is deleted. */
    public int firstOverflowPage(int slot) {
        return Node.slotFlags(copy, 0, slot) == NodeLayout.SLOT_OVERFLOW ? OverflowChain.firstPage(copy, 0, slot) : 0;
    }

    private void require(boolean holds, String rule) {
        if (!holds) {
            throw new CorruptionException(broken(rule));
        }
    }

    private String broken(String rule) {
        return Message.of("a tree page breaks a rule")
                .with("treeId", tree.treeId())
                .with("pageId", pageId)
                .with("rule", rule)
                .remedy("restore the database from a backup");
    }
}
