package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;

/**
 * The redo-only log record of a change that spans pages and belongs to no transaction: splits, merges, new roots,
 * overflow pages, removed ghosts. It is atomic because it is one record.
 *
 * <pre>
 *  payload:  part, part, ...
 *  part:     | kind u8 | page id i32 | body |
 *    IMAGE             | low bytes u16 | heap start u16 | page[0, low) | page[heap start, 8192) |
 *    TRUNCATE          | keep slots u16 | upper fence bytes u16 | upper fence |
 *    INSERT_SEPARATOR  | slot u16 | right child i32 | separator bytes u16 | separator |
 *    REMOVE_SEPARATOR  | slot u16 |
 *    REMOVE_RECORD     | key bytes u16 | key |
 *    SET_NODE_FLAGS    | flags u16 |
 * </pre>
 *
 * A page takes a part at redo only if its own LSN is below the record's.
 */
final class SystemChange {
    static final int IMAGE = 1;
    static final int TRUNCATE = 2;
    static final int INSERT_SEPARATOR = 3;
    static final int REMOVE_SEPARATOR = 4;
    static final int REMOVE_RECORD = 5;
    static final int SET_NODE_FLAGS = 6;

    private static final int PART_HEADER_BYTES = 5;

    /** System changes form no chain: they are never undone. */
    private static final long NO_TRANSACTION = 0;

    private SystemChange() {}

    static void begin(LogRecordBuffer record) {
        record.begin(LogRecordType.SYSTEM, 0, NO_TRANSACTION, 0);
    }

    private static void part(LogRecordBuffer record, int kind, int pageId) {
        record.putByte(kind);
        record.putInt(pageId);
    }

    /** Adds the whole contents of a node, without the gap between slots and heap. */
    static void addNodeImage(LogRecordBuffer record, int pageId, NativeMemory memory, long page) {
        int low = NodeLayout.SLOTS + Node.slotCount(memory, page) * NodeLayout.SLOT_BYTES;
        addImage(record, pageId, memory, page, low, Node.heapStart(memory, page));
    }

    /** Adds the bytes [0, low) and [high, page size) of a page. */
    static void addImage(LogRecordBuffer record, int pageId, NativeMemory memory, long page, int low, int high) {
        part(record, IMAGE, pageId);
        record.putShort(low);
        record.putShort(high);
        record.putSegment(memory, page, low);
        record.putSegment(memory, page + high, PageLayout.PAGE_BYTES - high);
    }

    static void addTruncate(LogRecordBuffer record, int pageId, int keepSlots, byte[] upperFence, int fenceBytes) {
        part(record, TRUNCATE, pageId);
        record.putShort(keepSlots);
        record.putShort(fenceBytes);
        record.putBytes(upperFence, 0, fenceBytes);
    }

    static void addInsertSeparator(
            LogRecordBuffer record, int pageId, int slot, int rightChild, byte[] separator, int separatorBytes) {
        part(record, INSERT_SEPARATOR, pageId);
        record.putShort(slot);
        record.putInt(rightChild);
        record.putShort(separatorBytes);
        record.putBytes(separator, 0, separatorBytes);
    }

    static void addRemoveSeparator(LogRecordBuffer record, int pageId, int slot) {
        part(record, REMOVE_SEPARATOR, pageId);
        record.putShort(slot);
    }

    static void addRemoveRecord(LogRecordBuffer record, int pageId, byte[] key, int keyBytes) {
        part(record, REMOVE_RECORD, pageId);
        record.putShort(keyBytes);
        record.putBytes(key, 0, keyBytes);
    }

    static void addSetNodeFlags(LogRecordBuffer record, int pageId, int flags) {
        part(record, SET_NODE_FLAGS, pageId);
        record.putShort(flags);
    }

    /**
     * Applies the parts of a record to the pages that do not have them yet.
     *
     * @throws CorruptionException if a part does not fit its page, which it then leaves as it was
     */
    static void redo(PageRedo pages, long lsn, NativeMemory payload, long from, long to) {
        NativeMemory memory = pages.memory();
        long at = from;
        while (at < to) {
            int kind = payload.getByte(at);
            int pageId = payload.getInt(at + 1);
            at += PART_HEADER_BYTES;
            boolean apply = pages.latchIfOlder(pageId, lsn, kind == IMAGE);
            long page = pages.address();
            boolean applied = false;
            try {
                at = redoPart(memory, page, apply, kind, payload, at);
                applied = apply;
            } finally {
                pages.unlatch(applied, lsn);
            }
        }
    }

    /** Receives a part of {@link #visitParts}. */
    @FunctionalInterface
    interface PartVisitor {
        /** A part: one of the kinds, and its page. */
        void part(int kind, int pageId);
    }

    /**
     * Names the parts of a record.
     *
     * @throws CorruptionException if a part is of no known kind, or an image has no length
     */
    static void visitParts(NativeMemory payload, PartVisitor visitor) {
        long at = 0;
        // Ends: every part is longer than nothing.
        while (at < payload.byteSize()) {
            int kind = payload.getByte(at);
            visitor.part(kind, payload.getInt(at + 1));
            at = redoPart(NativeMemory.NONE, 0, false, kind, payload, at + PART_HEADER_BYTES);
        }
    }

    private static long redoPart(
            NativeMemory memory, long page, boolean apply, int kind, NativeMemory payload, long at) {
        int first = payload.getUnsignedShort(at);
        switch (kind) {
            case IMAGE -> {
                int high = payload.getUnsignedShort(at + 2);
                require(
                        first >= PageLayout.HEADER_BYTES && first <= high && high <= PageLayout.PAGE_BYTES,
                        kind,
                        payload,
                        at);
                if (apply) {
                    NativeMemory.copy(payload, at + 4, memory, page, first);
                    memory.clear(page + first, high - first);
                    NativeMemory.copy(payload, at + 4 + first, memory, page + high, PageLayout.PAGE_BYTES - high);
                }
                return at + 4 + first + PageLayout.PAGE_BYTES - high;
            }
            case TRUNCATE -> {
                int fenceBytes = payload.getUnsignedShort(at + 2);
                if (apply) {
                    byte[] fence = Node.bytes(payload, at + 4, fenceBytes);
                    require(isTruncatable(memory, page, first, fence), kind, payload, at);
                    NodeEditor.truncate(memory, page, first, fence);
                }
                return at + 4 + fenceBytes;
            }
            case INSERT_SEPARATOR -> {
                int rightChild = payload.getInt(at + 2);
                int separatorBytes = payload.getUnsignedShort(at + 6);
                if (apply) {
                    byte[] separator = Node.bytes(payload, at + 8, separatorBytes);
                    boolean isNewSlot = isInner(memory, page) && first <= Node.slotCount(memory, page);
                    require(isNewSlot && isKeyOf(memory, page, separator), kind, payload, at);
                    NodeEditor.insertSeparator(memory, page, first, separator, separatorBytes, rightChild);
                }
                return at + 8 + separatorBytes;
            }
            case REMOVE_SEPARATOR -> {
                if (apply) {
                    boolean isSlot = isInner(memory, page) && first < Node.slotCount(memory, page);
                    require(isSlot, kind, payload, at);
                    NodeEditor.removeSeparator(memory, page, first);
                }
                return at + 2;
            }
            case REMOVE_RECORD -> {
                if (apply) {
                    byte[] key = Node.bytes(payload, at + 2, first);
                    require(Node.isLeaf(memory, page), kind, payload, at);
                    int found = Node.find(memory, page, key, first);
                    require(found >= 0, kind, payload, at);
                    NodeEditor.removeSlot(memory, page, found);
                }
                return at + 2 + first;
            }
            case SET_NODE_FLAGS -> {
                if (apply) {
                    require(Node.isNode(memory, page), kind, payload, at);
                    NodeEditor.putU16(memory, page + NodeLayout.NODE_FLAGS, first);
                }
                return at + 2;
            }
            default ->
                throw new CorruptionException(Message.of("unknown part of a system change in the log")
                        .with("kind", kind)
                        .remedy("restore the database from a backup"));
        }
    }

    private static boolean isInner(NativeMemory memory, long page) {
        return Node.isNode(memory, page) && Node.level(memory, page) > 0;
    }

    /** Whether a fence or a separator can be one of the node's. */
    private static boolean isKeyOf(NativeMemory memory, long page, byte[] key) {
        return key.length <= NodeLayout.KEY_BYTES_MAX && Node.hasPrefix(memory, page, key, key.length);
    }

    /** Whether the node has these slots, and room for them and the fence. */
    private static boolean isTruncatable(NativeMemory memory, long page, int keepSlots, byte[] fence) {
        if (!Node.isNode(memory, page) || keepSlots > Node.slotCount(memory, page) || !isKeyOf(memory, page, fence)) {
            return false;
        }
        byte[] lower = Node.lowerFence(memory, page);
        int longerPrefix =
                KeyBytes.commonPrefix(lower, lower.length, fence, fence.length) - Node.prefixBytes(memory, page);
        int slotBytes = NodeLayout.SLOT_BYTES + Node.cellHeaderBytes(memory, page) - longerPrefix;
        int bytes = NodeLayout.SLOTS + lower.length + fence.length + keepSlots * slotBytes;
        for (int i = 0; i < keepSlots; i++) {
            bytes += Node.suffixBytes(memory, page, i) + Node.valueBytes(memory, page, i);
        }
        return bytes <= PageLayout.PAGE_BYTES;
    }

    /**
     * A checksum says that a record is as it was written, not by whom: its numbers may point to other pages.
     *
     * @param at where the body of the part begins
     */
    private static void require(boolean fits, int kind, NativeMemory payload, long at) {
        if (!fits) {
            throw new CorruptionException(Message.of("a part of a system change in the log does not fit its page")
                    .with("kind", kind)
                    .with("pageId", payload.getInt(at - Integer.BYTES))
                    .with("number", payload.getUnsignedShort(at))
                    .remedy("restore the database from a backup"));
        }
    }
}
