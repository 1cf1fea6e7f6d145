package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.lang.foreign.Arena;

/**
 * A damaged tree, read for what is left of it: visits what the root still leads to, and says which ranges of keys it no
 * longer leads to. Unlike {@link TreeImage} it judges nothing but nodes, and unlike {@link TreeWalk} it needs no open
 * database. Not thread-safe.
 */
public final class TreeSurvey {
    /** Deeper trees do not occur: a tree of all pages with two children a node would be half as deep. */
    private static final int LEVELS_MAX = 64;

    /** As the level of a root that cannot be read. */
    public static final int UNKNOWN_LEVEL = -1;

    private static final byte[] MINUS_INFINITY = {};

    private final Pages pages;
    private final int treeId;
    private final Visitor visitor;

    /** Where pages come from. */
    @FunctionalInterface
    public interface Pages {
        /** Reads a page; returns null, or why the page cannot be used. */
        String read(int pageId, NativeMemory target);
    }

    /** What a survey tells. Bounds of keys are inclusive below and exclusive above, null above is plus infinity. */
    public interface Visitor {
        /** The tree names a page; returns whether to go on there: false where another place names it too. */
        boolean named(int pageId);

        /** A whole inner node. */
        void inner(int pageId, int level, NativeMemory node);

        /** A whole leaf. */
        void leaf(int pageId, NativeMemory leaf);

        /** A range of keys to which nothing leads any more, because of a page of this level. */
        void lost(int pageId, int level, byte[] lower, byte[] upperOrNull, String why);
    }

    /** Receives the records of a leaf. */
    @FunctionalInterface
    public interface RecordVisitor {
        /** A record: whether it is deleted, whether {@code stored} is a stub, and what the leaf holds. */
        void record(byte[] key, int slotFlags, byte[] stored);
    }

    /** A tree of which the root is known. */
    public TreeSurvey(Pages pages, int treeId, Visitor visitor) {
        this.pages = pages;
        this.treeId = treeId;
        this.visitor = visitor;
    }

    /** Memory for one page. */
    public static NativeMemory pageMemory(Arena arena) {
        return NodeEditor.scratchPage(arena);
    }

    /** Visits the whole tree. */
    public void run(int rootPageId) {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory root = pageMemory(arena);
            String why = "the catalog names no page of the file as the root";
            if (rootPageId > 0) {
                why = visitor.named(rootPageId) ? pages.read(rootPageId, root) : "another place names the root";
            }
            int level = 0;
            if (why == null) {
                level = PageLayout.type(root, 0) == PageLayout.TYPE_NODE ? Node.level(root, 0) : 0;
                why = level < LEVELS_MAX ? null : "a tree has less than " + LEVELS_MAX + " levels";
            }
            if (why != null) {
                visitor.lost(rootPageId, UNKNOWN_LEVEL, MINUS_INFINITY, null, why);
                return;
            }
            visit(root, rootPageId, level, MINUS_INFINITY, null);
        }
    }

    private void visit(NativeMemory node, int pageId, int level, byte[] lower, byte[] upper) {
        String broken = NodeRules.broken(node, pageId, treeId, level, lower, upper);
        if (broken != null) {
            visitor.lost(pageId, level, lower, upper, "it does not hold that " + broken);
            return;
        }
        if (level == 0) {
            visitor.leaf(pageId, node);
            return;
        }
        visitor.inner(pageId, level, node);
        int count = Node.slotCount(node, 0);
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory child = pageMemory(arena);
            for (int i = 0; i <= count; i++) {
                int childPageId = Node.child(node, 0, i);
                byte[] childLower = i == 0 ? lower : Node.key(node, 0, i - 1);
                byte[] childUpper = i == count ? upper : Node.key(node, 0, i);
                String why = "its parent, page " + pageId + ", names no page of the file";
                if (childPageId > 0) {
                    why = visitor.named(childPageId) ? pages.read(childPageId, child) : "another place names it";
                }
                if (why == null) {
                    visit(child, childPageId, level - 1, childLower, childUpper);
                } else {
                    visitor.lost(childPageId, level - 1, childLower, childUpper, why);
                }
            }
        }
    }

    /** Whether a page is a leaf of some tree; its own rules may still be broken. */
    public static boolean isLeaf(NativeMemory page) {
        return PageLayout.type(page, 0) == PageLayout.TYPE_NODE && Node.level(page, 0) == 0;
    }

    /** The page behind an overflow page in its chain, 0 at the end. */
    public static int nextOverflowPage(NativeMemory page) {
        return page.getInt(OverflowLayout.NEXT_PAGE);
    }

    /** The first rule that a node breaks as long as nothing is known of its parent; null if it keeps all. */
    public static String broken(NativeMemory node, int pageId) {
        try {
            byte[] lower = Node.lowerFence(node, 0);
            byte[] upper = Node.upperFence(node, 0);
            return NodeRules.broken(node, pageId, PageLayout.treeId(node, 0), Node.level(node, 0), lower, upper);
        } catch (CorruptionException outside) {
            return "offsets and lengths stay within the page";
        }
    }

    /** Visits all records of a whole leaf in key order, those that are deleted and wait for their removal too. */
    public static void visitRecords(NativeMemory leaf, RecordVisitor visitor) {
        for (int i = 0; i < Node.slotCount(leaf, 0); i++) {
            visitor.record(
                    Node.key(leaf, 0, i),
                    Node.slotFlags(leaf, 0, i),
                    Node.bytes(leaf, Node.valueAddress(leaf, 0, i), Node.valueBytes(leaf, 0, i)));
        }
    }

    /**
     * The value that a stub stands for.
     *
     * @param stub as stored in a leaf
     * @param lsnMax the highest LSN that a page of the chain may have: that of the leaf, if it has one. A chain is
     *     written before the record that refers to it, and changed only together with the leaf, so a page with a higher
     *     one belongs to another value by now
     * @return the value; null if a page of its chain is lost or belongs to something else
     */
    public static byte[] chain(Pages pages, int treeId, byte[] stub, long lsnMax) {
        if (stub.length != OverflowLayout.STUB_BYTES) {
            return null;
        }
        int valueBytes = OverflowChain.valueBytesAsStored(stub);
        if (!OverflowChain.isPossible(valueBytes)) {
            return null;
        }
        byte[] value = new byte[valueBytes];
        int pageId = OverflowChain.firstPage(stub);
        int at = 0;
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory page = pageMemory(arena);
            // Ends: every page takes some of the value.
            while (at < valueBytes) {
                int bytes = Math.min(valueBytes - at, OverflowLayout.CHUNK_BYTES_MAX);
                boolean fits = pageId > 0
                        && pages.read(pageId, page) == null
                        && PageLayout.type(page, 0) == PageLayout.TYPE_OVERFLOW
                        && PageLayout.treeId(page, 0) == treeId
                        && PageLayout.lsn(page, 0) <= lsnMax
                        && page.getInt(OverflowLayout.CHUNK_BYTES) == bytes;
                if (!fits) {
                    return null;
                }
                Node.copyOut(page, OverflowLayout.CHUNK, value, at, bytes);
                at += bytes;
                pageId = page.getInt(OverflowLayout.NEXT_PAGE);
            }
        }
        return pageId == 0 ? value : null;
    }
}
