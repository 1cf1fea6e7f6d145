package dev.lockstep.engine.btree;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * A tree as it lies in a file, damaged or not: walks what can be reached and tells every page that breaks a rule, where
 * {@link TreeWalk} ends at the first. Not thread-safe.
 */
public final class TreeImage {
    /** Deeper trees do not occur: a tree of all pages with two children a node would be half as deep. */
    private static final int LEVELS_MAX = 64;

    private final Pages pages;
    private final Visitor visitor;
    private final int treeId;

    /** Where pages come from. */
    @FunctionalInterface
    public interface Pages {
        /** Reads a page that belongs to the file; false if it is damaged, which the source itself tells. */
        boolean read(int pageId, NativeMemory target);
    }

    /** What a walk tells. */
    public interface Visitor {
        /** A page of the tree; returns whether to go on there: false where it was reached before. */
        boolean reached(int pageId);

        /** A page breaks a rule. */
        void broken(int pageId, String rule);

        /** A record that is not deleted: its key and value, overflow pages included. */
        void record(byte[] key, byte[] value);
    }

    /** A tree of which the root is known. */
    public TreeImage(Pages pages, int treeId, Visitor visitor) {
        this.pages = pages;
        this.treeId = treeId;
        this.visitor = visitor;
    }

    /** Walks the whole tree. */
    public void walk(int rootPageId) {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory root = NodeEditor.scratchPage(arena);
            if (!visitor.reached(rootPageId) || !pages.read(rootPageId, root)) {
                return;
            }
            int level = PageLayout.type(root, 0) == PageLayout.TYPE_NODE ? Node.level(root, 0) : 0;
            if (level >= LEVELS_MAX) {
                visitor.broken(rootPageId, "a tree has less than " + LEVELS_MAX + " levels");
                return;
            }
            visit(root, rootPageId, level, KeyBytes.EMPTY, null);
        }
    }

    private void visit(NativeMemory node, int pageId, int level, byte[] lower, byte[] upper) {
        String broken = NodeRules.broken(node, pageId, treeId, level, lower, upper);
        if (broken != null) {
            visitor.broken(pageId, broken);
            return;
        }
        if (level == 0) {
            visitRecords(node, pageId);
            return;
        }
        int count = Node.slotCount(node, 0);
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory child = NodeEditor.scratchPage(arena);
            for (int i = 0; i <= count; i++) {
                int childPageId = Node.child(node, 0, i);
                if (childPageId < 1) {
                    visitor.broken(pageId, "children are pages of the file");
                } else if (visitor.reached(childPageId) && pages.read(childPageId, child)) {
                    byte[] childLower = i == 0 ? lower : Node.key(node, 0, i - 1);
                    byte[] childUpper = i == count ? upper : Node.key(node, 0, i);
                    visit(child, childPageId, level - 1, childLower, childUpper);
                }
            }
        }
    }

    private void visitRecords(NativeMemory leaf, int pageId) {
        for (int i = 0; i < Node.slotCount(leaf, 0); i++) {
            if (Node.isGhost(leaf, 0, i)) {
                continue;
            }
            byte[] stored = Node.bytes(leaf, Node.valueAddress(leaf, 0, i), Node.valueBytes(leaf, 0, i));
            byte[] value = stored;
            if ((Node.slotFlags(leaf, 0, i) & NodeLayout.SLOT_OVERFLOW) != 0) {
                value = chain(stored, pageId);
            }
            if (value != null) {
                visitor.record(Node.key(leaf, 0, i), value);
            }
        }
    }

    /** The value that a stub stands for; null, and told, if it or its chain is damaged. */
    private byte[] chain(byte[] stub, int leafPageId) {
        if (stub.length != OverflowLayout.STUB_BYTES
                || !OverflowChain.isPossible(OverflowChain.valueBytesAsStored(stub))) {
            visitor.broken(leafPageId, "a record has the stub of its overflow chain");
            return null;
        }
        int valueBytes = OverflowChain.valueBytesAsStored(stub);
        int left = valueBytes;
        int pageId = OverflowChain.firstPage(stub);
        List<byte[]> chunks = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory page = NodeEditor.scratchPage(arena);
            // Ends: no page is reached twice.
            while (left > 0) {
                if (pageId < 1 || !visitor.reached(pageId)) {
                    visitor.broken(leafPageId, "overflow chains have as many pages as their values need");
                    return null;
                }
                if (!pages.read(pageId, page)) {
                    return null;
                }
                int bytes = page.getInt(OverflowLayout.CHUNK_BYTES);
                if (PageLayout.type(page, 0) != PageLayout.TYPE_OVERFLOW
                        || PageLayout.treeId(page, 0) != treeId
                        || bytes != Math.min(left, OverflowLayout.CHUNK_BYTES_MAX)) {
                    visitor.broken(pageId, "the page is the next of its overflow chain");
                    return null;
                }
                chunks.add(Node.bytes(page, OverflowLayout.CHUNK, bytes));
                left -= bytes;
                pageId = page.getInt(OverflowLayout.NEXT_PAGE);
            }
        }
        if (pageId != 0) {
            visitor.broken(leafPageId, "overflow chains have as many pages as their values need");
            return null;
        }
        byte[] value = new byte[valueBytes];
        int at = 0;
        for (byte[] chunk : chunks) {
            System.arraycopy(chunk, 0, value, at, chunk.length);
            at += chunk.length;
        }
        return value;
    }
}
