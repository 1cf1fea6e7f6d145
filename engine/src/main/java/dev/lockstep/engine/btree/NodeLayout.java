package dev.lockstep.engine.btree;

import dev.lockstep.engine.page.PageLayout;

/**
 * Layout of a B+tree node, leaf or inner, in a page of {@link PageLayout#PAGE_BYTES} bytes.
 *
 * <pre>
 *  0                                                            32
 *  +-------------------------------------------------------------+
 *  | page header ({@link PageLayout})                                     |
 *  +------+-----+---------+-----------+--------------+-----------+ 32
 *  | slot | lev-| heap    | dead heap | prefix       | lower     |
 *  | count| el  | start   | bytes     | bytes        | fence off.|
 *  | u16  | u16 | u16     | u16       | u16          | u16       |
 *  +------+-----+---------+-----------+--------------+-----------+ 44
 *  | lower fence bytes u16| upper fence offset u16   | upper     |
 *  |                      |                          | bytes u16 |
 *  +----------------------+--------------------------+-----------+ 50
 *  | flags u16 | rightmost child i32 | last insert slot u16 | pad |
 *  +-------------------------------------------------------------+ 64
 *  | slot 0 | slot 1 | ... (16 bytes each, in key order)  --&gt;     |
 *  |                       free space                            |
 *  |      &lt;--  heap: cells and fence keys, filled from the end    |
 *  +-------------------------------------------------------------+ 8192
 *
 *  slot:       | head u64 | cell offset u16 | suffix bytes u16 | value bytes u16 | flags u16 |
 *  leaf cell:  | version i64 (transaction that wrote it last) | key suffix | value |
 *  inner cell: | child page id i32 | key suffix |
 * </pre>
 *
 * <p>The first {@code prefix bytes} of every key in a node are those of both its fence keys and are not stored again
 * (prefix truncation). A node that a split or a merge has written leaves out all that the fences have in common; one
 * that took a new upper fence in place, and has been compacted at most since, keeps a prefix that may be shorter. The
 * head holds the first eight bytes of the key suffix as a big-endian number, padded with zeros, so that most
 * comparisons of a binary search touch the slot array alone.
 *
 * <p>An inner node with n slots has n + 1 children: child i holds keys below the separator of slot i and not below
 * that of slot i - 1; the last child is {@code rightmost child}. The lower fence is inclusive, the upper exclusive; an
 * empty lower fence is minus infinity, {@link #FLAG_NO_UPPER_FENCE} is plus infinity.
 *
 * <p>The version of a record and the slot flags leave room for version chains: a reader of a snapshot compares the
 * version with its own and follows the undo of that transaction.
 *
 * <p>Source of the slot heads and of fence keys: G. Graefe, "Modern B-Tree Techniques", Foundations and Trends in
 * Databases 3(4), 2011, sections 3.3 and 4.2.
 */
public final class NodeLayout {
    /** Offset of the number of slots, u16. */
    static final int SLOT_COUNT = PageLayout.HEADER_BYTES;

    /** Offset of the level, u16: 0 is a leaf. */
    static final int LEVEL = SLOT_COUNT + 2;

    /** Offset of the lowest heap offset in use, u16. */
    static final int HEAP_START = LEVEL + 2;

    /** Offset of the count of heap bytes that no cell uses any more, u16. */
    static final int DEAD_BYTES = HEAP_START + 2;

    /** Offset of the length of the common key prefix, u16. */
    static final int PREFIX_BYTES = DEAD_BYTES + 2;

    /** Offset of the heap offset of the lower fence key, u16. */
    static final int LOWER_FENCE_OFFSET = PREFIX_BYTES + 2;

    /** Offset of the length of the lower fence key, u16; 0 is minus infinity. */
    static final int LOWER_FENCE_BYTES = LOWER_FENCE_OFFSET + 2;

    /** Offset of the heap offset of the upper fence key, u16. */
    static final int UPPER_FENCE_OFFSET = LOWER_FENCE_BYTES + 2;

    /** Offset of the length of the upper fence key, u16. */
    static final int UPPER_FENCE_BYTES = UPPER_FENCE_OFFSET + 2;

    /** Offset of the node flags, u16. */
    static final int NODE_FLAGS = UPPER_FENCE_BYTES + 2;

    /** Offset of the child right of the last separator, i32; inner nodes only. */
    static final int RIGHTMOST_CHILD = NODE_FLAGS + 2;

    /** Offset of the slot of the newest insert, u16: a hint for the split point, not logged. */
    static final int LAST_INSERT_SLOT = RIGHTMOST_CHILD + 4;

    private static final int PAD_BYTES = 6;

    /** Offset of slot 0. */
    public static final int SLOTS = LAST_INSERT_SLOT + 2 + PAD_BYTES;

    /** Size of a slot: 16, so that a slot never straddles a cache line. */
    public static final int SLOT_BYTES = 16;

    static final int SLOT_HEAD = 0;
    static final int SLOT_CELL_OFFSET = 8;
    static final int SLOT_SUFFIX_BYTES = 10;
    static final int SLOT_VALUE_BYTES = 12;
    static final int SLOT_FLAGS = 14;

    /** Bytes of a key suffix that the slot itself holds. */
    static final int HEAD_BYTES = 8;

    /** Bytes before the key suffix in a leaf cell: the version. */
    public static final int LEAF_CELL_HEADER_BYTES = 8;

    /** Bytes before the key suffix in an inner cell: the child. */
    static final int INNER_CELL_HEADER_BYTES = 4;

    /** Node flag: the node has no upper fence. */
    static final int FLAG_NO_UPPER_FENCE = 1;

    /**
     * Node flag of a root: the tree has held a value in overflow pages, so a reachability walk must read its leaves.
     */
    static final int FLAG_HAS_OVERFLOW = 2;

    /** Slot flag: the record is deleted and waits for its removal. */
    public static final int SLOT_GHOST = 1;

    /** Slot flag: the value is an {@link OverflowLayout} stub. */
    public static final int SLOT_OVERFLOW = 2;

    /** The most slots that fit; a clamp for optimistic readers, which may see half-written counts. */
    static final int SLOT_COUNT_MAX = (PageLayout.PAGE_BYTES - SLOTS) / SLOT_BYTES;

    /**
     * Longest key. Four of the longest separators, with both fences, have to fit in an inner node so that a split
     * always makes room: 8,128 / 6 leaves 1,354; a round figure below it.
     */
    public static final int KEY_BYTES_MAX = 1_000;

    /**
     * Largest cell payload (key and value together) of a row that is kept in the leaf; larger values go to overflow
     * pages. A quarter of the room behind the header and two longest fences: with fewer than three or four records a
     * leaf, binary search and splits lose their point. The entries of a unique index may be longer: {@link
     * #ENTRY_BYTES_MAX}.
     */
    public static final int INLINE_BYTES_MAX = 1_500;

    /**
     * Largest cell payload of all: the entry of a unique index, a longest key with a longest primary key as its value,
     * which never goes to overflow pages. Three have to fit beside two longest fences: then a leaf without room for one
     * more has three at least, and of what a split leaves on each side, which is fewer, two have room for a third.
     */
    static final int ENTRY_BYTES_MAX = 2 * KEY_BYTES_MAX;

    /** Largest value, stored in overflow pages. Sixteen MiB, the limit that the public interface states. */
    public static final int VALUE_BYTES_MAX = 16 << 20;

    static {
        if (SLOTS != 64 || SLOTS % SLOT_BYTES != 0) {
            throw new AssertionError("slots=" + SLOTS);
        }
        if (2 * KEY_BYTES_MAX + 4 * (INLINE_BYTES_MAX + SLOT_BYTES + LEAF_CELL_HEADER_BYTES)
                > PageLayout.PAGE_BYTES - SLOTS) {
            throw new AssertionError("inlineBytesMax=" + INLINE_BYTES_MAX);
        }
        if (2 * KEY_BYTES_MAX + 3 * (ENTRY_BYTES_MAX + SLOT_BYTES + LEAF_CELL_HEADER_BYTES)
                > PageLayout.PAGE_BYTES - SLOTS) {
            throw new AssertionError("entryBytesMax=" + ENTRY_BYTES_MAX);
        }
    }

    private NodeLayout() {}
}
