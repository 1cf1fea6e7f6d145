package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.lang.foreign.Arena;
import java.util.function.IntConsumer;

/**
 * Walks all pages of a tree: to find out which are in use, to give them back, to check them. Nobody else may change the
 * tree meanwhile; readers may go on.
 *
 * <p>Pages may say anything, even with checksums that fit: a node that leads out of the file, out of the page or to a
 * level that is not below its own ends the walk with a {@link CorruptionException}.
 */
public final class TreeWalk {
    /** A root above it would stand on more leaves than there are page ids, with two children to each node. */
    private static final int LEVEL_MAX = 31;

    private static final int ANY_LEVEL = -1;

    private final BTree tree;
    private final TreeContext context;
    private final int pageIdEnd;

    /** What the root of the tree being validated says. */
    private boolean hasOverflow;

    public TreeWalk(BTree tree, TreeContext context) {
        this.tree = tree;
        this.context = context;
        pageIdEnd = tree.environment().pool().pageIdEnd();
    }

    /**
     * Visits every page of the tree, nodes and overflow pages. Leaves are read only where the tree has ever had an
     * overflow page.
     *
     * <p>Not those of ghosts: they are given back when the transaction that left the ghost commits. A damaged chain is
     * visited up to the damage, so that the rest of the tree can be opened or given back; {@link #validate} reports it.
     */
    public void visitPages(IntConsumer visitor) {
        visit(tree.rootPageId(), ANY_LEVEL, rootHasOverflow(), visitor);
    }

    private void visit(int pageId, int expectedLevel, boolean leavesToo, IntConsumer visitor) {
        visitor.accept(pageId);
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory node = read(arena, pageId);
            int level = level(node, pageId, expectedLevel);
            if (level == 0) {
                visitOverflow(node, pageId, visitor);
                return;
            }
            for (int child : children(node, pageId)) {
                if (level == 1 && !leavesToo) {
                    visitor.accept(child);
                } else {
                    visit(child, level - 1, leavesToo, visitor);
                }
            }
        }
    }

    /** The level of a node, which must be the one below its parent's; that of a page that was never written is any. */
    private int level(NativeMemory node, int pageId, int expectedLevel) {
        if (PageLayout.type(node, 0) == PageLayout.TYPE_NONE) {
            return 0;
        }
        int level = Node.level(node, 0);
        require(level <= LEVEL_MAX, pageId, "a tree has at most 32 levels");
        require(expectedLevel == ANY_LEVEL || level == expectedLevel, pageId, "all leaves have the same depth");
        return level;
    }

    private int[] children(NativeMemory node, int pageId) {
        int[] children = new int[Node.slotCount(node, 0) + 1];
        try {
            for (int i = 0; i < children.length; i++) {
                children[i] = Node.child(node, 0, i);
                require(isPossible(children[i]), pageId, "children are pages of the file");
            }
        } catch (IndexOutOfBoundsException e) {
            throw outsideThePage(pageId, e);
        }
        return children;
    }

    private boolean isPossible(int pageId) {
        return pageId > 0 && pageId < pageIdEnd;
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

    private void visitOverflow(NativeMemory leaf, int pageId, IntConsumer visitor) {
        for (int i = 0; i < Node.slotCount(leaf, 0); i++) {
            int flags = Node.slotFlags(leaf, 0, i);
            if ((flags & NodeLayout.SLOT_OVERFLOW) != 0 && (flags & NodeLayout.SLOT_GHOST) == 0) {
                visitChain(value(leaf, pageId, i, OverflowLayout.STUB_BYTES), visitor);
            }
        }
    }

    private byte[] value(NativeMemory leaf, int pageId, int slot, int valueBytes) {
        try {
            return Node.bytes(leaf, Node.valueAddress(leaf, 0, slot), valueBytes);
        } catch (IndexOutOfBoundsException e) {
            throw outsideThePage(pageId, e);
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
        visitRecords(tree.rootPageId(), ANY_LEVEL, visitor);
    }

    private void visitRecords(int pageId, int expectedLevel, RecordVisitor visitor) {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory node = read(arena, pageId);
            int level = level(node, pageId, expectedLevel);
            if (level > 0) {
                for (int child : children(node, pageId)) {
                    visitRecords(child, level - 1, visitor);
                }
                return;
            }
            for (int i = 0; i < Node.slotCount(node, 0); i++) {
                if (!Node.isGhost(node, 0, i)) {
                    visitor.visit(Node.slotFlags(node, 0, i), value(node, pageId, i, Node.valueBytes(node, 0, i)));
                }
            }
        }
    }

    private void visitChain(byte[] stub, IntConsumer visitor) {
        int pageId = OverflowChain.firstPage(stub);
        for (int left = OverflowChain.valueBytesAsStored(stub);
                left > 0 && isPossible(pageId) && OverflowChain.isChunk(tree, context, pageId);
                left -= OverflowLayout.CHUNK_BYTES_MAX) {
            visitor.accept(pageId);
            pageId = OverflowChain.nextPage(tree, context, pageId);
        }
    }

    /** A private copy of a page, taken under its shared latch, so that a recursion holds no latch. */
    private NativeMemory read(Arena arena, int pageId) {
        require(isPossible(pageId), pageId, "the tree's pages are pages of the file");
        NativeMemory copy = NodeEditor.scratchPage(arena);
        int frame = OverflowChain.latchShared(tree.environment(), context, pageId);
        try {
            NativeMemory.copy(tree.environment().memory(), BufferPool.address(frame), copy, 0, PageLayout.PAGE_BYTES);
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
        int level = rootLevel();
        require(level <= LEVEL_MAX, tree.rootPageId(), "a tree has at most 32 levels");
        validate(tree.rootPageId(), level, KeyBytes.EMPTY, null, counts);
        return counts;
    }

    private void validate(int pageId, int level, byte[] lower, byte[] upper, Counts counts) {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory node = read(arena, pageId);
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

    private void validateRecords(NativeMemory leaf, int pageId, Counts counts) {
        for (int i = 0; i < Node.slotCount(leaf, 0); i++) {
            if (Node.isGhost(leaf, 0, i)) {
                counts.ghosts++;
            } else {
                counts.records++;
                validateChain(leaf, pageId, i);
            }
        }
    }

    private void validateChain(NativeMemory leaf, int pageId, int slot) {
        if ((Node.slotFlags(leaf, 0, slot) & NodeLayout.SLOT_OVERFLOW) != 0) {
            require(hasOverflow, pageId, "the root of a tree with overflow pages says so");
            OverflowChain.validate(
                    tree, context, Node.bytes(leaf, Node.valueAddress(leaf, 0, slot), OverflowLayout.STUB_BYTES));
        }
    }

    private void require(boolean holds, int pageId, String rule) {
        if (!holds) {
            throw new CorruptionException(broken(pageId, rule));
        }
    }

    private CorruptionException outsideThePage(int pageId, IndexOutOfBoundsException cause) {
        return new CorruptionException(broken(pageId, "offsets and lengths stay within the page"), cause);
    }

    private String broken(int pageId, String rule) {
        return Message.of("a tree page breaks a rule")
                .with("treeId", tree.treeId())
                .with("pageId", pageId)
                .with("rule", rule)
                .remedy("restore the database from a backup");
    }
}
