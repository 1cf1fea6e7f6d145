package dev.lockstep.engine.btree;

import static dev.lockstep.engine.btree.NodeLayout.INNER_CELL_HEADER_BYTES;
import static dev.lockstep.engine.btree.NodeLayout.LEAF_CELL_HEADER_BYTES;
import static dev.lockstep.engine.btree.NodeLayout.SLOT_BYTES;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.ShortCopy;
import java.lang.foreign.Arena;

/**
 * Changes a node in place. The caller holds the page's exclusive latch and has made sure that there is room. Every
 * change is a function of the page's contents and the arguments alone, so that running it again at recovery gives the
 * same page.
 */
public final class NodeEditor {
    private NodeEditor() {}

    public static void putU16(NativeMemory memory, long address, int value) {
        memory.setShort(address, (short) value);
    }

    /** Makes an empty node. {@code upperFence} null is plus infinity. */
    public static void format(
            NativeMemory memory,
            long page,
            int pageId,
            int treeId,
            int level,
            byte[] lowerFence,
            byte[] upperFence,
            int flags) {
        memory.clear(page + PageLayout.HEADER_BYTES, PageLayout.PAGE_BYTES - PageLayout.HEADER_BYTES);
        PageLayout.initialise(memory, page, PageLayout.TYPE_NODE, pageId, treeId);
        putU16(memory, page + NodeLayout.LEVEL, level);
        int heap = PageLayout.PAGE_BYTES - lowerFence.length;
        copyIn(memory, page + heap, lowerFence, 0, lowerFence.length);
        putU16(memory, page + NodeLayout.LOWER_FENCE_OFFSET, heap);
        putU16(memory, page + NodeLayout.LOWER_FENCE_BYTES, lowerFence.length);
        int prefix = 0;
        int nodeFlags = flags & ~NodeLayout.FLAG_NO_UPPER_FENCE;
        if (upperFence == null) {
            nodeFlags |= NodeLayout.FLAG_NO_UPPER_FENCE;
        } else {
            heap -= upperFence.length;
            copyIn(memory, page + heap, upperFence, 0, upperFence.length);
            putU16(memory, page + NodeLayout.UPPER_FENCE_OFFSET, heap);
            putU16(memory, page + NodeLayout.UPPER_FENCE_BYTES, upperFence.length);
            prefix = KeyBytes.commonPrefix(lowerFence, lowerFence.length, upperFence, upperFence.length);
        }
        putU16(memory, page + NodeLayout.NODE_FLAGS, nodeFlags);
        putU16(memory, page + NodeLayout.PREFIX_BYTES, prefix);
        putU16(memory, page + NodeLayout.HEAP_START, heap);
    }

    /** Inserts a record at slot {@code index} of a leaf. */
    public static void insertRecord(
            NativeMemory memory,
            long page,
            int index,
            byte[] key,
            int keyBytes,
            byte[] value,
            int valueAt,
            int valueBytes,
            int flags,
            long version) {
        int prefix = Node.prefixBytes(memory, page);
        int suffix = keyBytes - prefix;
        int cellBytes = LEAF_CELL_HEADER_BYTES + suffix + valueBytes;
        int cell = claimCell(memory, page, cellBytes + SLOT_BYTES, cellBytes);
        memory.setLong(page + cell, version);
        copyIn(memory, page + cell + LEAF_CELL_HEADER_BYTES, key, prefix, suffix);
        copyIn(memory, page + cell + LEAF_CELL_HEADER_BYTES + suffix, value, valueAt, valueBytes);
        openSlot(memory, page, index);
        writeSlot(memory, page, index, KeyBytes.head(key, prefix, keyBytes), cell, suffix, valueBytes, flags);
        putU16(memory, page + NodeLayout.LAST_INSERT_SLOT, index);
    }

    /** Replaces the value and flags of a leaf's record; the key stays. */
    public static void replaceValue(
            NativeMemory memory,
            long page,
            int index,
            byte[] value,
            int valueAt,
            int valueBytes,
            int flags,
            long version) {
        int oldBytes = Node.valueBytes(memory, page, index);
        if (valueBytes > oldBytes) {
            // The old cell goes first, so that no more room is needed than the value grows by.
            byte[] key = Node.key(memory, page, index);
            int lastInsertSlot = Node.u16(memory, page + NodeLayout.LAST_INSERT_SLOT);
            removeSlot(memory, page, index);
            insertRecord(memory, page, index, key, key.length, value, valueAt, valueBytes, flags, version);
            putU16(memory, page + NodeLayout.LAST_INSERT_SLOT, lastInsertSlot);
            return;
        }
        long slot = Node.slot(page, index);
        addDeadBytes(memory, page, oldBytes - valueBytes);
        putU16(memory, slot + NodeLayout.SLOT_VALUE_BYTES, valueBytes);
        putU16(memory, slot + NodeLayout.SLOT_FLAGS, flags);
        memory.setLong(Node.cell(memory, page, index), version);
        copyIn(memory, Node.valueAddress(memory, page, index), value, valueAt, valueBytes);
    }

    /**
     * Replaces some bytes of the value of a leaf's record; its length and its flags stay.
     *
     * @param slotWord {@link Node#slotWord} of the record
     * @param value the whole new value
     * @param from index of the first byte to replace
     * @param to index behind the last
     */
    public static void replaceBytes(
            NativeMemory memory, long page, long slotWord, byte[] value, int from, int to, long version) {
        memory.setLong(Node.cellOf(page, slotWord), version);
        copyIn(memory, Node.valueAddressOf(page, slotWord) + from, value, from, to - from);
    }

    public static void setSlotFlags(NativeMemory memory, long page, int index, int flags) {
        putU16(memory, Node.slot(page, index) + NodeLayout.SLOT_FLAGS, flags);
    }

    public static void setVersion(NativeMemory memory, long page, int index, long version) {
        memory.setLong(Node.cell(memory, page, index), version);
    }

    /** Removes a slot; its cell becomes dead. */
    public static void removeSlot(NativeMemory memory, long page, int index) {
        int count = Node.slotCount(memory, page);
        int cellBytes = Node.cellHeaderBytes(memory, page)
                + Node.suffixBytes(memory, page, index)
                + Node.valueBytes(memory, page, index);
        addDeadBytes(memory, page, cellBytes);
        long slot = Node.slot(page, index);
        NativeMemory.copy(memory, slot + SLOT_BYTES, memory, slot, (long) (count - 1 - index) * SLOT_BYTES);
        putU16(memory, page + NodeLayout.SLOT_COUNT, count - 1);
    }

    /** Bytes that {@link #insertSeparator} takes. */
    public static int separatorBytesNeeded(NativeMemory memory, long page, int separatorBytes) {
        return SLOT_BYTES + INNER_CELL_HEADER_BYTES + separatorBytes - Node.prefixBytes(memory, page);
    }

    /**
     * The child at {@code index} was split: the separator goes to slot {@code index}, with the old child on its left
     * and {@code rightChild} on its right.
     */
    public static void insertSeparator(
            NativeMemory memory, long page, int index, byte[] separator, int separatorBytes, int rightChild) {
        int leftChild = Node.child(memory, page, index);
        int count = Node.slotCount(memory, page);
        int prefix = Node.prefixBytes(memory, page);
        int suffix = separatorBytes - prefix;
        int cellBytes = INNER_CELL_HEADER_BYTES + suffix;
        int cell = claimCell(memory, page, cellBytes + SLOT_BYTES, cellBytes);
        memory.setInt(page + cell, leftChild);
        copyIn(memory, page + cell + INNER_CELL_HEADER_BYTES, separator, prefix, suffix);
        openSlot(memory, page, index);
        writeSlot(memory, page, index, KeyBytes.head(separator, prefix, separatorBytes), cell, suffix, 0, 0);
        setChild(memory, page, index + 1, count + 1, rightChild);
    }

    /** Children {@code index} and {@code index + 1} became one, kept at the page of the left one. */
    public static void removeSeparator(NativeMemory memory, long page, int index) {
        int leftChild = Node.child(memory, page, index);
        removeSlot(memory, page, index);
        setChild(memory, page, index, Node.slotCount(memory, page), leftChild);
    }

    public static void setRightmostChild(NativeMemory memory, long page, int child) {
        memory.setInt(page + NodeLayout.RIGHTMOST_CHILD, child);
    }

    /** Child {@code index} lies in another page from now on. */
    public static void setChild(NativeMemory memory, long page, int index, int child) {
        setChild(memory, page, index, Node.slotCount(memory, page), child);
    }

    private static void setChild(NativeMemory memory, long page, int index, int slotCount, int child) {
        if (index == slotCount) {
            setRightmostChild(memory, page, child);
        } else {
            memory.setInt(Node.cell(memory, page, index), child);
        }
    }

    /** Appends slots [from, to) of another node of the same level behind the present ones. */
    public static void appendSlots(
            NativeMemory source, long sourcePage, int from, int to, NativeMemory target, long targetPage) {
        int header = Node.cellHeaderBytes(target, targetPage);
        int longer = Node.prefixBytes(target, targetPage) - Node.prefixBytes(source, sourcePage);
        if (longer < 0) {
            appendSlotsWithLongerSuffixes(source, sourcePage, from, to, target, targetPage);
            return;
        }
        int at = Node.slotCount(target, targetPage);
        int cell = Node.heapStart(target, targetPage);
        for (int i = from; i < to; i++, at++) {
            long word = Node.slotWord(source, sourcePage, i);
            int suffix = Node.suffixBytesOf(word) - longer;
            int valueBytes = Node.valueBytesOf(word);
            int cellBytes = header + suffix + valueBytes;
            cell -= cellBytes;
            long sourceCell = Node.cellOf(sourcePage, word);
            long head;
            if (longer == 0) {
                NativeMemory.copy(source, sourceCell, target, targetPage + cell, cellBytes);
                head = Node.head(source, sourcePage, i);
            } else {
                long copied = targetPage + cell + header;
                NativeMemory.copy(source, sourceCell, target, targetPage + cell, header);
                NativeMemory.copy(source, sourceCell + header + longer, target, copied, cellBytes - header);
                head = Node.headOf(target, copied, suffix);
            }
            writeSlot(target, targetPage, at, head, cell, suffix, valueBytes, Node.flagsOf(word));
        }
        putU16(target, targetPage + NodeLayout.HEAP_START, cell);
        putU16(target, targetPage + NodeLayout.SLOT_COUNT, at);
    }

    /** The same where the target's prefix is shorter, so that part of it comes back into every cell: merges. */
    private static void appendSlotsWithLongerSuffixes(
            NativeMemory source, long sourcePage, int from, int to, NativeMemory target, long targetPage) {
        int header = Node.cellHeaderBytes(target, targetPage);
        int prefix = Node.prefixBytes(target, targetPage);
        int at = Node.slotCount(target, targetPage);
        byte[] key = new byte[NodeLayout.KEY_BYTES_MAX];
        for (int i = from; i < to; i++, at++) {
            int keyBytes = Node.copyKey(source, sourcePage, i, key);
            int suffix = keyBytes - prefix;
            int valueBytes = Node.valueBytes(source, sourcePage, i);
            int cellBytes = header + suffix + valueBytes;
            int cell = Node.heapStart(target, targetPage) - cellBytes;
            putU16(target, targetPage + NodeLayout.HEAP_START, cell);
            NativeMemory.copy(source, Node.cell(source, sourcePage, i), target, targetPage + cell, header);
            copyIn(target, targetPage + cell + header, key, prefix, suffix);
            long value = Node.suffixAddress(source, sourcePage, i) + Node.suffixBytes(source, sourcePage, i);
            NativeMemory.copy(source, value, target, targetPage + cell + header + suffix, valueBytes);
            int flags = Node.slotFlags(source, sourcePage, i);
            long head = KeyBytes.head(key, prefix, keyBytes);
            writeSlot(target, targetPage, at, head, cell, suffix, valueBytes, flags);
            putU16(target, targetPage + NodeLayout.SLOT_COUNT, at + 1);
        }
    }

    /**
     * Leaves the node with slots [0, keepSlots) and a new upper fence. For an inner node the child left of slot
     * {@code keepSlots} becomes the rightmost one.
     *
     * <p>Where every slot stays, as with keys that come in order, and the fence finds room, nothing is moved: the keys
     * then keep a prefix that may be shorter than what the fences have in common.
     */
    public static void truncate(NativeMemory memory, long page, int keepSlots, byte[] upperFence) {
        if (keepSlots == Node.slotCount(memory, page) && Node.contiguousFreeBytes(memory, page) >= upperFence.length) {
            replaceUpperFence(memory, page, upperFence);
        } else {
            rebuild(memory, page, keepSlots, upperFence, NodeLayout.KEY_BYTES_MAX);
        }
    }

    private static void replaceUpperFence(NativeMemory memory, long page, byte[] upperFence) {
        int flags = Node.nodeFlags(memory, page);
        if ((flags & NodeLayout.FLAG_NO_UPPER_FENCE) == 0) {
            addDeadBytes(memory, page, Node.upperFenceBytes(memory, page));
        }
        int at = Node.heapStart(memory, page) - upperFence.length;
        copyIn(memory, page + at, upperFence, 0, upperFence.length);
        putU16(memory, page + NodeLayout.HEAP_START, at);
        putU16(memory, page + NodeLayout.UPPER_FENCE_OFFSET, at);
        putU16(memory, page + NodeLayout.UPPER_FENCE_BYTES, upperFence.length);
        putU16(memory, page + NodeLayout.NODE_FLAGS, flags & ~NodeLayout.FLAG_NO_UPPER_FENCE);
    }

    /** Closes the holes of the heap. The prefix stays: a caller may already have cut a key by it. */
    public static void compact(NativeMemory memory, long page) {
        rebuild(
                memory,
                page,
                Node.slotCount(memory, page),
                Node.upperFence(memory, page),
                Node.prefixBytes(memory, page));
    }

    /** Writes the node anew with slots [0, keepSlots), no holes in its heap and the longest prefix allowed. */
    private static void rebuild(NativeMemory memory, long page, int keepSlots, byte[] upperFence, int prefixBytesMax) {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory old = copyOfPage(arena, memory, page);
            format(
                    memory,
                    page,
                    PageLayout.pageId(old, 0),
                    PageLayout.treeId(old, 0),
                    Node.level(old, 0),
                    Node.lowerFence(old, 0),
                    upperFence,
                    Node.nodeFlags(old, 0));
            putU16(memory, page + NodeLayout.PREFIX_BYTES, Math.min(Node.prefixBytes(memory, page), prefixBytesMax));
            appendSlots(old, 0, 0, keepSlots, memory, page);
            if (Node.level(old, 0) > 0) {
                setRightmostChild(memory, page, Node.child(old, 0, keepSlots));
            }
            putU16(memory, page + NodeLayout.LAST_INSERT_SLOT, Node.u16(old, NodeLayout.LAST_INSERT_SLOT));
        }
    }

    /**
     * An empty page outside the pool: for splits, merges, compactions and walks, which work on a copy.
     *
     * <p>Not an array: as soon as one of its accesses meets segments of both kinds, the JIT compiler no longer knows
     * where a segment's memory is, and every access to every page pays for it.
     */
    public static NativeMemory scratchPage(Arena arena) {
        return NativeMemory.allocate(arena, PageLayout.PAGE_BYTES, Long.BYTES);
    }

    /** A copy of the page, for rebuilding it. */
    static NativeMemory copyOfPage(Arena arena, NativeMemory memory, long page) {
        NativeMemory copy = scratchPage(arena);
        NativeMemory.copy(memory, page, copy, 0, PageLayout.PAGE_BYTES);
        return copy;
    }

    public static void copyIn(NativeMemory memory, long address, byte[] source, int at, int length) {
        ShortCopy.copy(source, at, memory, address, length);
    }

    /**
     * Takes cell bytes from the heap, compacting first where {@code contiguousNeeded} is not free in one piece.
     *
     * @throws IllegalArgumentException if there is no room, which in a recovery says that the log does not fit the page
     */
    private static int claimCell(NativeMemory memory, long page, int contiguousNeeded, int cellBytes) {
        if (Node.contiguousFreeBytes(memory, page) < contiguousNeeded) {
            compact(memory, page);
            if (Node.contiguousFreeBytes(memory, page) < contiguousNeeded) {
                throw new IllegalArgumentException("a cell does not fit its page: cellBytes=" + cellBytes
                        + " freeBytes=" + Node.freeBytes(memory, page));
            }
        }
        int cell = Node.heapStart(memory, page) - cellBytes;
        putU16(memory, page + NodeLayout.HEAP_START, cell);
        return cell;
    }

    private static void addDeadBytes(NativeMemory memory, long page, int bytes) {
        putU16(memory, page + NodeLayout.DEAD_BYTES, Node.deadBytes(memory, page) + bytes);
    }

    private static void openSlot(NativeMemory memory, long page, int index) {
        int count = Node.slotCount(memory, page);
        long slot = Node.slot(page, index);
        // Behind the last slot, where rows that come in order go, there is nothing to move.
        if (index < count) {
            NativeMemory.copy(memory, slot, memory, slot + SLOT_BYTES, (long) (count - index) * SLOT_BYTES);
        }
        putU16(memory, page + NodeLayout.SLOT_COUNT, count + 1);
    }

    private static void writeSlot(
            NativeMemory memory,
            long page,
            int index,
            long head,
            int cell,
            int suffixBytes,
            int valueBytes,
            int flags) {
        long slot = Node.slot(page, index);
        memory.setLong(slot + NodeLayout.SLOT_HEAD, head);
        memory.setLong(slot + NodeLayout.SLOT_CELL_OFFSET, Node.slotWordOf(cell, suffixBytes, valueBytes, flags));
    }
}
