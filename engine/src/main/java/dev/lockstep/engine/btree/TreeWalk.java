package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.page.PageLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/**
 * Walks all pages of a tree: to find out which are in use, to give them back, to check them. Nobody else may change the
 * tree meanwhile; readers may go on.
 */
public final class TreeWalk {
    private final BTree tree;
    private final TreeContext context;

    /** What the root of the tree being validated says. */
    private boolean hasOverflow;

    public TreeWalk(BTree tree, TreeContext context) {
        this.tree = tree;
        this.context = context;
    }

    /**
     * Visits every page of the tree, nodes and overflow pages. Leaves are read only where the tree has ever had an
     * overflow page.
     *
     * <p>Not those of ghosts: they are given back when the transaction that left the ghost commits. A damaged chain is
     * visited up to the damage, so that the rest of the tree can be opened or given back; {@link #validate} reports it.
     */
    public void visitPages(IntConsumer visitor) {
        visit(tree.rootPageId(), rootHasOverflow(), visitor);
    }

    private void visit(int pageId, boolean leavesToo, IntConsumer visitor) {
        visitor.accept(pageId);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment node = read(arena, pageId);
            int level = Node.level(node, 0);
            int count = Node.slotCount(node, 0);
            if (level == 0) {
                visitOverflow(node, count, visitor);
                return;
            }
            for (int i = 0; i <= count; i++) {
                int child = Node.child(node, 0, i);
                if (level == 1 && !leavesToo) {
                    visitor.accept(child);
                } else {
                    visit(child, leavesToo, visitor);
                }
            }
        }
    }

    private boolean rootHasOverflow() {
        try (Arena arena = Arena.ofConfined()) {
            return (Node.nodeFlags(read(arena, tree.rootPageId()), 0) & NodeLayout.FLAG_HAS_OVERFLOW) != 0;
        }
    }

    private int rootLevel() {
        try (Arena arena = Arena.ofConfined()) {
            return Node.level(read(arena, tree.rootPageId()), 0);
        }
    }

    private void visitOverflow(MemorySegment leaf, int count, IntConsumer visitor) {
        for (int i = 0; i < count; i++) {
            int flags = Node.slotFlags(leaf, 0, i);
            if ((flags & NodeLayout.SLOT_OVERFLOW) != 0 && (flags & NodeLayout.SLOT_GHOST) == 0) {
                byte[] stub = Node.bytes(leaf, Node.valueAddress(leaf, 0, i), OverflowLayout.STUB_BYTES);
                visitChain(stub, visitor);
            }
        }
    }

    /** Whether a page was ever written; one behind the end of its file reads as if it was not. */
    public boolean isWritten(int pageId) {
        try (Arena arena = Arena.ofConfined()) {
            return PageLayout.type(read(arena, pageId), 0) != PageLayout.TYPE_NONE;
        }
    }

    /** Receives a record of {@link #visitRecords}. */
    @FunctionalInterface
    public interface RecordVisitor {
        /** A record: its slot flags and its value as stored. */
        void visit(int slotFlags, byte[] value);
    }

    /** Visits every record that is not deleted in key order, as stored and without locks. */
    public void visitRecords(RecordVisitor visitor) {
        visitRecords(tree.rootPageId(), visitor);
    }

    private void visitRecords(int pageId, RecordVisitor visitor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment node = read(arena, pageId);
            int count = Node.slotCount(node, 0);
            if (Node.level(node, 0) > 0) {
                for (int i = 0; i <= count; i++) {
                    visitRecords(Node.child(node, 0, i), visitor);
                }
                return;
            }
            for (int i = 0; i < count; i++) {
                if (!Node.isGhost(node, 0, i)) {
                    int valueBytes = Node.valueBytes(node, 0, i);
                    visitor.visit(
                            Node.slotFlags(node, 0, i), Node.bytes(node, Node.valueAddress(node, 0, i), valueBytes));
                }
            }
        }
    }

    private void visitChain(byte[] stub, IntConsumer visitor) {
        int pageId = OverflowChain.firstPage(stub);
        for (int left = OverflowChain.valueBytes(stub);
                left > 0 && pageId > 0 && OverflowChain.isChunk(tree, context, pageId);
                left -= OverflowLayout.CHUNK_BYTES_MAX) {
            visitor.accept(pageId);
            pageId = OverflowChain.nextPage(tree, context, pageId);
        }
    }

    /** A private copy of a page, taken under its shared latch, so that a recursion holds no latch. */
    private MemorySegment read(Arena arena, int pageId) {
        MemorySegment copy = NodeEditor.scratchPage(arena);
        int frame = OverflowChain.latchShared(tree.environment(), context, pageId);
        try {
            MemorySegment.copy(tree.environment().memory(), BufferPool.address(frame), copy, 0, PageLayout.PAGE_BYTES);
        } finally {
            tree.environment().latches().unlatchShared(frame);
            context.unlatched();
        }
        return copy;
    }

    /** What {@link #validate} has counted. */
    public static final class Counts {
        private long nodes;
        private long records;
        private long ghosts;

        public long nodes() {
            return nodes;
        }

        /** Records, without ghosts. */
        public long records() {
            return records;
        }

        public long ghosts() {
            return ghosts;
        }
    }

    /**
     * Checks the whole tree: page types, ids and levels, fences, key order, heads, heap bounds, space accounting and
     * overflow chains.
     *
     * @throws CorruptionException at the first violation, with the page and the rule
     */
    public Counts validate() {
        Counts counts = new Counts();
        hasOverflow = rootHasOverflow();
        validate(tree.rootPageId(), rootLevel(), KeyBytes.EMPTY, null, counts);
        return counts;
    }

    private void validate(int pageId, int level, byte[] lower, byte[] upper, Counts counts) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment node = read(arena, pageId);
            counts.nodes++;
            String broken = NodeRules.broken(node, pageId, tree.treeId(), level, lower, upper);
            require(broken == null, pageId, broken);
            if (level > 0) {
                int count = Node.slotCount(node, 0);
                for (int i = 0; i <= count; i++) {
                    byte[] childLower = i == 0 ? lower : Node.key(node, 0, i - 1);
                    byte[] childUpper = i == count ? upper : Node.key(node, 0, i);
                    validate(Node.child(node, 0, i), level - 1, childLower, childUpper, counts);
                }
            } else {
                validateRecords(node, pageId, counts);
            }
        }
    }

    private void validateRecords(MemorySegment leaf, int pageId, Counts counts) {
        for (int i = 0; i < Node.slotCount(leaf, 0); i++) {
            if (Node.isGhost(leaf, 0, i)) {
                counts.ghosts++;
            } else {
                counts.records++;
                validateChain(leaf, pageId, i);
            }
        }
    }

    private void validateChain(MemorySegment leaf, int pageId, int slot) {
        if ((Node.slotFlags(leaf, 0, slot) & NodeLayout.SLOT_OVERFLOW) != 0) {
            require(hasOverflow, pageId, "the root of a tree with overflow pages says so");
            OverflowChain.validate(
                    tree, context, Node.bytes(leaf, Node.valueAddress(leaf, 0, slot), OverflowLayout.STUB_BYTES));
        }
    }

    private void require(boolean holds, int pageId, String rule) {
        if (!holds) {
            throw new CorruptionException(Message.of("a tree page breaks a rule")
                    .with("treeId", tree.treeId())
                    .with("pageId", pageId)
                    .with("rule", rule)
                    .remedy("restore the database from a backup"));
        }
    }
}
