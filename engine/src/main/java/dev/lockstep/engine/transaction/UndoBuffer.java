package dev.lockstep.engine.transaction;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.TransactionTooLargeException;
import dev.lockstep.engine.btree.BTree;
import java.util.Arrays;

/**
 * What a running transaction needs to take its changes back, newest last. It lives in memory, so that a rollback reads
 * no log and a database without a log can roll back too; after a crash the log itself serves for undo.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Entry i occupies {@code bytes[starts[i], starts[i + 1])}, the last one up to {@code byteCount}.
 *   <li>{@code previousLsns[i]} is the LSN of the transaction's log record before the one of entry i: where undo goes
 *       on after a compensation record for entry i.
 *   <li>Between {@link #reserve} and {@link #push} nothing can fail, so a change that is in the page is here as well.
 * </ul>
 *
 * Used by one thread at a time; keeps its arrays from one transaction to the next.
 */
public final class UndoBuffer {
    /** The entry takes back an insert. */
    public static final byte INSERT = 1;

    /** The entry takes back an update. */
    public static final byte UPDATE = 2;

    /** The entry takes back a delete. */
    public static final byte DELETE = 3;

    /**
     * Most bytes of undo that one transaction may hold. A quarter of the address space of one array: far above any
     * short transaction, and low enough that growing by doubling cannot overflow.
     */
    public static final int BYTES_MAX = 512 << 20;

    /** Arrays larger than this are dropped after the transaction, so that one bulk load does not stay in memory. */
    private static final int BYTES_KEPT_MAX = 1 << 20;

    /**
     * First sizes: a transaction of a few changes. Sessions that never change more are many where sessions are many.
     */
    private static final int BYTES_INITIAL = 1 << 10;

    private static final int ENTRIES_INITIAL = 32;

    private byte[] bytes = new byte[BYTES_INITIAL];
    private int byteCount;
    private byte[] kinds = new byte[ENTRIES_INITIAL];
    private BTree[] trees = new BTree[ENTRIES_INITIAL];
    private int[] starts = new int[ENTRIES_INITIAL];
    private short[] keyBytes = new short[ENTRIES_INITIAL];
    private short[] flagsBefore = new short[ENTRIES_INITIAL];
    private long[] previousLsns = new long[ENTRIES_INITIAL];
    private int entryCount;

    /** Number of entries. */
    public int entryCount() {
        return entryCount;
    }

    /** Makes room for an entry; the only step that may fail. */
    public void reserve(int payloadBytes) {
        long needed = (long) byteCount + payloadBytes;
        if (needed > BYTES_MAX) {
            throw new TransactionTooLargeException(Message.of("the transaction holds too much undo")
                    .with("undoBytes", needed)
                    .with("undoBytesMax", BYTES_MAX)
                    .remedy("commit in smaller batches"));
        }
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(BYTES_MAX, Math.max(needed, bytes.length * 2L)));
        }
        if (entryCount == kinds.length) {
            growEntries(entryCount * 2);
        }
    }

    /** All arrays or none: where memory runs out in between, they must not differ in length. */
    private void growEntries(int capacity) {
        byte[] newKinds = Arrays.copyOf(kinds, capacity);
        BTree[] newTrees = Arrays.copyOf(trees, capacity);
        int[] newStarts = Arrays.copyOf(starts, capacity);
        short[] newKeyBytes = Arrays.copyOf(keyBytes, capacity);
        short[] newFlagsBefore = Arrays.copyOf(flagsBefore, capacity);
        long[] newPreviousLsns = Arrays.copyOf(previousLsns, capacity);
        kinds = newKinds;
        trees = newTrees;
        starts = newStarts;
        keyBytes = newKeyBytes;
        flagsBefore = newFlagsBefore;
        previousLsns = newPreviousLsns;
    }

    /** Adds an entry for which {@link #reserve} made room. {@code before} is the value before an update. */
    public void push(
            byte kind,
            BTree tree,
            long previousLsn,
            byte[] key,
            int keyLength,
            int slotFlagsBefore,
            byte[] before,
            int beforeBytes) {
        int entry = entryCount++;
        kinds[entry] = kind;
        trees[entry] = tree;
        previousLsns[entry] = previousLsn;
        starts[entry] = byteCount;
        keyBytes[entry] = (short) keyLength;
        flagsBefore[entry] = (short) slotFlagsBefore;
        System.arraycopy(key, 0, bytes, byteCount, keyLength);
        System.arraycopy(before, 0, bytes, byteCount + keyLength, beforeBytes);
        byteCount += keyLength + beforeBytes;
    }

    public byte kind(int entry) {
        return kinds[entry];
    }

    public BTree tree(int entry) {
        return trees[entry];
    }

    public long previousLsn(int entry) {
        return previousLsns[entry];
    }

    /** The key of the entry's record, a copy. */
    public byte[] key(int entry) {
        return Arrays.copyOfRange(bytes, starts[entry], starts[entry] + keyBytes[entry]);
    }

    /** The value before the change, a copy; empty where there was none. */
    public byte[] before(int entry) {
        int end = entry + 1 < entryCount ? starts[entry + 1] : byteCount;
        return Arrays.copyOfRange(bytes, starts[entry] + keyBytes[entry], end);
    }

    /** The slot flags before the change. */
    public int slotFlagsBefore(int entry) {
        return Short.toUnsignedInt(flagsBefore[entry]);
    }

    /** Drops the entries from {@code entry} on. */
    public void truncate(int entry) {
        if (entry < entryCount) {
            byteCount = starts[entry];
            Arrays.fill(trees, entry, entryCount, null);
            entryCount = entry;
        }
    }

    /** Empties the buffer for the next transaction. */
    public void clear() {
        truncate(0);
        if (bytes.length > BYTES_KEPT_MAX) {
            bytes = new byte[BYTES_INITIAL];
        }
    }
}
