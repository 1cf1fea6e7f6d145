package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.memory.NativeMemory;
import java.util.Arrays;

/**
 * The log record of a change to one record of a leaf. Redo finds the record by its key in the page that is named;
 * undo finds it by its key in the tree, where splits may have moved it.
 *
 * <pre>
 *  body:     | tree id i32 | page id i32 | key bytes u16 | key | body |
 *    INSERT   | flags u16 | value bytes u16 | value |          (takes the place of a ghost with the same key)
 *    UPDATE   | flags before u16 | flags after u16 | bytes before u16 | bytes after u16
 *             | prefix u16 | suffix u16 | middle before | middle after |
 *    DELETE   (empty: the record becomes a ghost)
 *    RESTORE  (empty: the ghost becomes a record again; compensation only)
 * </pre>
 *
 * An update logs the bytes between a common prefix and suffix of the two values only; prefix and suffix are their
 * lengths. They are the longest ones, or reach to the columns that were set where those are known.
 *
 * <p>Source of redo by page and undo by key: C. Mohan et al., "ARIES: A Transaction Recovery Method Supporting
 * Fine-Granularity Locking and Partial Rollbacks Using Write-Ahead Logging", TODS 17(1), 1992, section 3.
 */
public final class LeafChange {
    /** Log record type of the undo of a delete; always a compensation record. */
    public static final byte RESTORE = 8;

    /** A counter, a sum and a date that lie side by side. */
    private static final int BYTES_OF_USUAL_CHANGE = 32;

    private static final int TREE_ID = 0;
    private static final int PAGE_ID = 4;
    private static final int KEY_BYTES = 8;
    private static final int KEY = 10;

    private static final int U16_MASK = 0xFFFF;

    private LeafChange() {}

    private static void begin(
            LogRecordBuffer record,
            byte type,
            boolean compensation,
            long transactionId,
            long previousLsn,
            long undoNextLsn,
            int treeId,
            int pageId,
            byte[] key,
            int keyBytes) {
        if (compensation) {
            record.beginCompensation(type, transactionId, previousLsn, undoNextLsn);
        } else {
            record.begin(type, 0, transactionId, previousLsn);
        }
        record.putLong(Integer.toUnsignedLong(treeId) | (long) pageId << Integer.SIZE);
        record.putShort(keyBytes);
        record.putBytes(key, 0, keyBytes);
    }

    /** Two numbers of two bytes each, as they follow each other in a record; one put is one check of the room. */
    private static int pair(int first, int second) {
        return (first & U16_MASK) | second << Short.SIZE;
    }

    /** Encodes an insert. */
    public static void insert(
            LogRecordBuffer record,
            long transactionId,
            long previousLsn,
            int treeId,
            int pageId,
            byte[] key,
            int keyBytes,
            int flags,
            byte[] value,
            int valueBytes) {
        begin(record, LogRecordType.INSERT, false, transactionId, previousLsn, 0, treeId, pageId, key, keyBytes);
        record.putInt(pair(flags, valueBytes));
        record.putBytes(value, 0, valueBytes);
        record.finish();
    }

    /** Encodes the ghosting of a record: a delete, or with {@code compensation} the undo of an insert. */
    public static void delete(
            LogRecordBuffer record,
            boolean compensation,
            long transactionId,
            long previousLsn,
            long undoNextLsn,
            int treeId,
            int pageId,
            byte[] key,
            int keyBytes) {
        begin(
                record,
                LogRecordType.DELETE,
                compensation,
                transactionId,
                previousLsn,
                undoNextLsn,
                treeId,
                pageId,
                key,
                keyBytes);
        record.finish();
    }

    /** Encodes the undo of a delete. */
    public static void restore(
            LogRecordBuffer record,
            long transactionId,
            long previousLsn,
            long undoNextLsn,
            int treeId,
            int pageId,
            byte[] key,
            int keyBytes) {
        begin(record, RESTORE, true, transactionId, previousLsn, undoNextLsn, treeId, pageId, key, keyBytes);
        record.finish();
    }

    /**
     * Encodes an update of some bytes of a value whose length and flags stay.
     *
     * @param from index of the first changed byte in the value
     * @param to index behind the last
     * @param pages where the value lies, still unchanged
     * @param valueAddress its address there
     * @param after the whole new value
     */
    public static void updateInPlace(
            LogRecordBuffer record,
            long transactionId,
            long previousLsn,
            int treeId,
            int pageId,
            byte[] key,
            int keyBytes,
            int flags,
            int valueBytes,
            int from,
            int to,
            NativeMemory pages,
            long valueAddress,
            byte[] after) {
        begin(record, LogRecordType.UPDATE, false, transactionId, previousLsn, 0, treeId, pageId, key, keyBytes);
        record.putInt(pair(flags, flags));
        record.putInt(pair(valueBytes, valueBytes));
        record.putInt(pair(from, valueBytes - to));
        record.putSegment(pages, valueAddress + from, to - from);
        record.putBytes(after, from, to - from);
        record.finish();
    }

    /** Encodes an update from the value in the page to {@code after}, or with {@code compensation} its undo. */
    public static void update(
            LogRecordBuffer record,
            boolean compensation,
            long transactionId,
            long previousLsn,
            long undoNextLsn,
            int treeId,
            int pageId,
            byte[] key,
            int keyBytes,
            int flagsBefore,
            int flagsAfter,
            byte[] before,
            int beforeBytes,
            byte[] after,
            int afterBytes) {
        begin(
                record,
                LogRecordType.UPDATE,
                compensation,
                transactionId,
                previousLsn,
                undoNextLsn,
                treeId,
                pageId,
                key,
                keyBytes);
        int prefix = KeyBytes.commonPrefix(before, beforeBytes, after, afterBytes);
        int suffix = commonSuffix(before, beforeBytes, after, afterBytes, prefix);
        record.putInt(pair(flagsBefore, flagsAfter));
        record.putInt(pair(beforeBytes, afterBytes));
        record.putInt(pair(prefix, suffix));
        record.putBytes(before, prefix, beforeBytes - prefix - suffix);
        record.putBytes(after, prefix, afterBytes - prefix - suffix);
        record.finish();
    }

    private static int commonSuffix(byte[] left, int leftBytes, byte[] right, int rightBytes, int prefix) {
        int limit = Math.min(leftBytes, rightBytes) - prefix;
        int suffix = 0;
        // Most updates change a few bytes in front of some hundred: those are compared forwards, as fast as vectors go.
        int behind = prefix + BYTES_OF_USUAL_CHANGE;
        if (leftBytes == rightBytes
                && behind < leftBytes
                && Arrays.mismatch(left, behind, leftBytes, right, behind, rightBytes) < 0) {
            suffix = leftBytes - behind;
        }
        // Eight bytes at a time.
        while (suffix + Long.BYTES <= limit
                && KeyBytes.bigEndianLong(left, leftBytes - suffix - Long.BYTES)
                        == KeyBytes.bigEndianLong(right, rightBytes - suffix - Long.BYTES)) {
            suffix += Long.BYTES;
        }
        while (suffix < limit && left[leftBytes - 1 - suffix] == right[rightBytes - 1 - suffix]) {
            suffix++;
        }
        return suffix;
    }

    /** Applies the record to its page, unless the page has it already. */
    static void redo(PageRedo pages, byte type, long transactionId, long lsn, NativeMemory body) {
        int pageId = body.getInt(PAGE_ID);
        byte[] key = key(body);
        boolean apply = pages.latchIfOlder(pageId, lsn, false);
        boolean applied = false;
        try {
            if (apply) {
                apply(pages, type, transactionId, lsn, body, changeOffset(body), key);
                applied = true;
            }
        } finally {
            pages.unlatch(applied, lsn);
        }
    }

    private static void apply(
            PageRedo pages, byte type, long transactionId, long lsn, NativeMemory payload, long body, byte[] key) {
        NativeMemory memory = pages.memory();
        long page = pages.address();
        // Another page has other bytes in the place of its slots, and these may point to other pages.
        boolean isLeaf = Node.isLeaf(memory, page);
        int found = isLeaf ? Node.find(memory, page, key, key.length) : -1;
        if (!isLeaf || (found < 0 && type != LogRecordType.INSERT)) {
            throw new CorruptionException(Message.of("a logged record is not in its page")
                    .with("lsn", lsn)
                    .with("type", type)
                    .remedy("restore the database from a backup"));
        }
        switch (type) {
            case LogRecordType.INSERT -> {
                int flags = payload.getUnsignedShort(body);
                byte[] value = Node.bytes(payload, body + 4, payload.getUnsignedShort(body + 2));
                if (found >= 0) {
                    NodeEditor.replaceValue(memory, page, found, value, 0, value.length, flags, transactionId);
                } else {
                    NodeEditor.insertRecord(
                            memory, page, -found - 1, key, key.length, value, 0, value.length, flags, transactionId);
                }
            }
            case LogRecordType.UPDATE -> {
                int flags = payload.getUnsignedShort(body + 2);
                byte[] before = Node.bytes(
                        memory, Node.valueAddress(memory, page, found), Node.valueBytes(memory, page, found));
                byte[] value = patched(payload, body, before, false);
                NodeEditor.replaceValue(memory, page, found, value, 0, value.length, flags, transactionId);
            }
            case LogRecordType.DELETE, RESTORE -> {
                int flags = Node.slotFlags(memory, page, found) & ~NodeLayout.SLOT_GHOST;
                if (type == LogRecordType.DELETE) {
                    flags |= NodeLayout.SLOT_GHOST;
                }
                NodeEditor.setSlotFlags(memory, page, found, flags);
                NodeEditor.setVersion(memory, page, found, transactionId);
            }
            default -> throw new AssertionError("type=" + type);
        }
    }

    /** The value before a logged update, from the value after it. */
    public static byte[] valueBefore(NativeMemory body, byte[] after) {
        return patched(body, changeOffset(body), after, true);
    }

    private static byte[] patched(NativeMemory payload, long body, byte[] from, boolean backwards) {
        int beforeBytes = payload.getUnsignedShort(body + 4);
        int afterBytes = payload.getUnsignedShort(body + 6);
        int prefix = payload.getUnsignedShort(body + 8);
        int suffix = payload.getUnsignedShort(body + 10);
        int fromBytes = backwards ? afterBytes : beforeBytes;
        int toBytes = backwards ? beforeBytes : afterBytes;
        if (from.length != fromBytes || prefix + suffix > Math.min(fromBytes, toBytes)) {
            throw new CorruptionException(Message.of("a logged update does not fit the value that it changes")
                    .with("valueBytes", from.length)
                    .with("beforeBytes", beforeBytes)
                    .with("afterBytes", afterBytes)
                    .with("prefixBytes", prefix)
                    .with("suffixBytes", suffix)
                    .remedy("restore the database from a backup"));
        }
        byte[] to = new byte[toBytes];
        System.arraycopy(from, 0, to, 0, prefix);
        long middle = body + 12 + (backwards ? 0 : beforeBytes - prefix - suffix);
        Node.copyOut(payload, middle, to, prefix, toBytes - prefix - suffix);
        System.arraycopy(from, fromBytes - suffix, to, toBytes - suffix, suffix);
        return to;
    }

    /** The tree that a body belongs to. */
    public static int treeId(NativeMemory body) {
        return body.getInt(TREE_ID);
    }

    /** The page that a body changed. */
    public static int pageId(NativeMemory body) {
        return body.getInt(PAGE_ID);
    }

    /** The key of a body. */
    public static byte[] key(NativeMemory body) {
        return Node.bytes(body, KEY, body.getUnsignedShort(KEY_BYTES));
    }

    /** Slot flags before an update, or those of an insert; 0 for a delete, which logs none. */
    public static int slotFlagsBefore(NativeMemory body) {
        long change = changeOffset(body);
        return change < body.byteSize() ? body.getUnsignedShort(change) : 0;
    }

    /** Where the part behind the key begins. */
    public static long changeOffset(NativeMemory body) {
        return (long) KEY + body.getUnsignedShort(KEY_BYTES);
    }
}
