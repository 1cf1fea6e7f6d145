package dev.lockstep.engine.transaction;

import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.TransactionTooLargeException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.ShortCopy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * What a running transaction needs to take its changes back, newest last. It lives in memory, so that a rollback reads
 * no log and a database without a log can roll back too; after a crash the log itself serves for undo.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Entry i occupies {@code bytes[starts[i], starts[i + 1])}; {@code starts[entryCount]} is {@code byteCount}.
 *   <li>{@code changedFrom[i]} is {@link #WHOLE_VALUE}, or where in a value of unchanged length the bytes of entry i
 *       belong that lie behind its key.
 *   <li>{@code frames[i]} is {@link #NO_FRAME} or the frame in which a deleted record of entry i lay: a guess.
 *   <li>{@code previousLsns[i]} is the LSN of the transaction's log record before the one of entry i: where undo goes
 *       on after a compensation record for entry i.
 *   <li>Between {@link #reserve} and {@link #push} nothing can fail, so a change that is in the page is here as well.
 *   <li>An entry is whole before {@code entryCount} counts it, and {@code epoch} rises before an entry goes or an array
 *       is replaced. So who reads the epoch, the count, the entries and the same epoch again has read those entries.
 * </ul>
 *
 * Used by one thread at a time, but for {@link #copyIfWhole}; keeps its arrays from one transaction to the next.
 */
public final class UndoBuffer {
    /** The entry takes back an insert. */
    public static final byte INSERT = 1;

    /** The entry takes back an update. */
    public static final byte UPDATE = 2;

    /** The entry takes back a delete. */
    public static final byte DELETE = 3;

    /** Where an update has replaced the whole value, and not only some bytes of it. */
    public static final int WHOLE_VALUE = -1;

    /** It is not known where the entry's record lies. */
    public static final int NO_FRAME = -1;

    /**
     * Most bytes of undo that one transaction may hold, whatever the options say. A quarter of the address space of one
     * array: far above any short transaction, and low enough that growing by doubling cannot overflow.
     */
    public static final int BYTES_MAX = (int) DatabaseOptions.TRANSACTION_UNDO_BYTES_MAX;

    /** What an entry takes beside key and value: one element of each array. */
    private static final int ENTRY_BYTES = 34;

    /** Arrays larger than this are dropped after the transaction, so that one bulk load does not stay in memory. */
    private static final int BYTES_KEPT_MAX = 1 << 20;

    /**
     * First sizes: a transaction of a few changes. Sessions that never change more are many where sessions are many.
     */
    private static final int BYTES_INITIAL = 1 << 10;

    private static final int ENTRIES_INITIAL = 32;

    private static final VarHandle ENTRY_COUNT;
    private static final VarHandle EPOCH;

    static {
        try {
            ENTRY_COUNT = MethodHandles.lookup().findVarHandle(UndoBuffer.class, "entryCount", int.class);
            EPOCH = MethodHandles.lookup().findVarHandle(UndoBuffer.class, "epoch", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private byte[] bytes = new byte[BYTES_INITIAL];
    private int byteCount;
    private byte[] kinds;
    private BTree[] trees;
    private int[] starts;
    private short[] keyBytes;
    private short[] flagsBefore;
    private short[] changedFrom;
    private int[] frames;
    private long[] previousLsns;
    private int entryCount;
    private long bytesMax = BYTES_MAX;
    private long epoch;
    private boolean truncated;

    /** An empty one. */
    public UndoBuffer() {
        allocateEntries();
    }

    /**
     * Sets how much it may hold.
     *
     * @param limit bytes, at most {@link #BYTES_MAX}
     */
    public void limit(long limit) {
        bytesMax = limit;
    }

    /** Number of entries. */
    public int entryCount() {
        return entryCount;
    }

    /** Bytes of keys and values that it holds; another thread may see a stale number. */
    public int byteCount() {
        return byteCount;
    }

    /** Makes room for an entry; the only step that may fail. */
    public void reserve(int payloadBytes) {
        reserve(payloadBytes, 1);
    }

    /** Makes room for several entries with that many bytes together. */
    public void reserve(int payloadBytes, int entries) {
        long needed = (long) byteCount + payloadBytes;
        long held = needed + (long) (entryCount + entries) * ENTRY_BYTES;
        if (held > bytesMax) {
            throw new TransactionTooLargeException(Message.of("the transaction holds too much undo")
                    .with("undoBytes", held)
                    .with("transactionUndoBytes", bytesMax)
                    .with("changes", entryCount)
                    .remedy("roll back and commit in smaller batches, or raise the option transactionUndoBytes up to "
                            + BYTES_MAX));
        }
        if (needed > bytes.length) {
            byte[] grown = Arrays.copyOf(bytes, (int) Math.min(BYTES_MAX, Math.max(needed, bytes.length * 2L)));
            raiseEpoch();
            bytes = grown;
        }
        if (entryCount + entries > kinds.length) {
            growEntries(Math.max(entryCount + entries, kinds.length * 2));
        }
    }

    private void allocateEntries() {
        kinds = new byte[ENTRIES_INITIAL];
        trees = new BTree[ENTRIES_INITIAL];
        starts = new int[ENTRIES_INITIAL + 1];
        keyBytes = new short[ENTRIES_INITIAL];
        flagsBefore = new short[ENTRIES_INITIAL];
        changedFrom = new short[ENTRIES_INITIAL];
        frames = new int[ENTRIES_INITIAL];
        previousLsns = new long[ENTRIES_INITIAL];
    }

    /** All arrays or none: where memory runs out in between, they must not differ in length. */
    private void growEntries(int capacity) {
        byte[] newKinds = Arrays.copyOf(kinds, capacity);
        BTree[] newTrees = Arrays.copyOf(trees, capacity);
        int[] newStarts = Arrays.copyOf(starts, capacity + 1);
        short[] newKeyBytes = Arrays.copyOf(keyBytes, capacity);
        short[] newFlagsBefore = Arrays.copyOf(flagsBefore, capacity);
        short[] newChangedFrom = Arrays.copyOf(changedFrom, capacity);
        int[] newFrames = Arrays.copyOf(frames, capacity);
        long[] newPreviousLsns = Arrays.copyOf(previousLsns, capacity);
        raiseEpoch();
        kinds = newKinds;
        trees = newTrees;
        starts = newStarts;
        keyBytes = newKeyBytes;
        flagsBefore = newFlagsBefore;
        changedFrom = newChangedFrom;
        frames = newFrames;
        previousLsns = newPreviousLsns;
    }

    /**
     * Adds an entry for which {@link #reserve} made room, for an insert or an update. {@code before} is the value that
     * an update replaces, or the stub of the chain that an insert has written.
     */
    public void push(
            byte kind,
            BTree tree,
            long previousLsn,
            byte[] key,
            int keyLength,
            int slotFlagsBefore,
            byte[] before,
            int beforeBytes) {
        begin(kind, tree, previousLsn, key, keyLength, slotFlagsBefore, WHOLE_VALUE);
        System.arraycopy(before, 0, bytes, byteCount, beforeBytes);
        finish(beforeBytes);
    }

    /**
     * Adds an entry for a delete, for which {@link #reserve} made room.
     *
     * @param before the value of the ghost
     * @param frame where the ghost lies
     */
    public void pushDelete(
            BTree tree,
            long previousLsn,
            byte[] key,
            int keyLength,
            int slotFlagsBefore,
            byte[] before,
            int beforeBytes,
            int frame) {
        frames[entryCount] = frame;
        push(DELETE, tree, previousLsn, key, keyLength, slotFlagsBefore, before, beforeBytes);
    }

    /**
     * Adds an entry for an update of some bytes of a value whose length and flags stay.
     *
     * @param memory where the value lies, still unchanged
     * @param valueAddress its address there
     * @param from index of the first changed byte in the value
     * @param to index behind the last
     */
    public void pushBytes(
            BTree tree,
            long previousLsn,
            byte[] key,
            int keyLength,
            int slotFlags,
            NativeMemory memory,
            long valueAddress,
            int from,
            int to) {
        begin(UPDATE, tree, previousLsn, key, keyLength, slotFlags, from);
        ShortCopy.copy(memory, valueAddress + from, bytes, byteCount, to - from);
        finish(to - from);
    }

    private void begin(
            byte kind, BTree tree, long previousLsn, byte[] key, int keyLength, int slotFlagsBefore, int from) {
        int entry = entryCount;
        kinds[entry] = kind;
        trees[entry] = tree;
        previousLsns[entry] = previousLsn;
        keyBytes[entry] = (short) keyLength;
        flagsBefore[entry] = (short) slotFlagsBefore;
        changedFrom[entry] = (short) from;
        ShortCopy.copy(key, 0, bytes, byteCount, keyLength);
        byteCount += keyLength;
    }

    /** Counts the entry, of which all but its last {@code bytesMore} bytes were counted before. */
    private void finish(int bytesMore) {
        byteCount += bytesMore;
        int count = entryCount + 1;
        starts[count] = byteCount;
        ENTRY_COUNT.setRelease(this, count);
    }

    private void raiseEpoch() {
        // Release: who reads the new one sees what the owners of the entries had told before these went.
        EPOCH.setRelease(this, epoch + 1);
        VarHandle.storeStoreFence();
    }

    /** To be read before the entries by whoever is not the owner. */
    long epochAcquire() {
        return (long) EPOCH.getAcquire(this);
    }

    /** Entries that are whole, for whoever is not the owner. */
    int entryCountAcquire() {
        return (int) ENTRY_COUNT.getAcquire(this);
    }

    /** Whether what was read since the epoch was {@code seen} were entries of that time. */
    boolean isStillInEpoch(long seen) {
        VarHandle.acquireFence();
        return (long) EPOCH.getOpaque(this) == seen;
    }

    /** Copies all entries, for the owner, and for any thread once nobody adds or takes away entries any more. */
    UndoCopy copy() {
        return copyIfWhole(entryCount);
    }

    /** Bytes of memory that the buffer takes, used or not. */
    int capacityBytes() {
        return bytes.length + kinds.length * ENTRY_BYTES;
    }

    /**
     * Copies the first entries, for any thread.
     *
     * @return null if the owner has changed them meanwhile; what is not null counts if the epoch is still the same
     */
    UndoCopy copyIfWhole(int count) {
        UndoCopy copy = new UndoCopy();
        byte[] kindsNow = kinds;
        BTree[] treesNow = trees;
        int[] startsNow = starts;
        short[] keyBytesNow = keyBytes;
        short[] flagsNow = flagsBefore;
        short[] changedFromNow = changedFrom;
        // Any of them may be the short one of a buffer that was emptied meanwhile.
        if (kindsNow.length < count
                || treesNow.length < count
                || startsNow.length <= count
                || keyBytesNow.length < count
                || flagsNow.length < count
                || changedFromNow.length < count) {
            return null;
        }
        for (int entry = 0; entry < count; entry++) {
            byte[] from = bytes;
            BTree tree = treesNow[entry];
            int start = startsNow[entry];
            int keyEnd = start + keyBytesNow[entry];
            int end = startsNow[entry + 1];
            if (tree == null || start < 0 || keyEnd < start || end < keyEnd || end > from.length) {
                return null;
            }
            copy.add(
                    tree.treeId(),
                    Arrays.copyOfRange(from, start, keyEnd),
                    kindsNow[entry],
                    Arrays.copyOfRange(from, keyEnd, end),
                    changedFromNow[entry],
                    Short.toUnsignedInt(flagsNow[entry]));
        }
        return copy;
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

    /** The value before the change, or the bytes of it that were changed, a copy; empty where there was none. */
    public byte[] before(int entry) {
        return Arrays.copyOfRange(bytes, starts[entry] + keyBytes[entry], starts[entry + 1]);
    }

    /** Where in the value the bytes of {@link #before} belong, or {@link #WHOLE_VALUE}. */
    public int changedFrom(int entry) {
        return changedFrom[entry];
    }

    /** The frame in which the ghost of a delete lay: it may be in another by now. {@link #NO_FRAME} for others. */
    public int frame(int entry) {
        return kinds[entry] == DELETE ? frames[entry] : NO_FRAME;
    }

    /** The slot flags before the change. */
    public int slotFlagsBefore(int entry) {
        return Short.toUnsignedInt(flagsBefore[entry]);
    }

    /** Drops the entries from {@code entry} on. */
    public void truncate(int entry) {
        if (entry < entryCount) {
            raiseEpoch();
            truncated = true;
            byteCount = starts[entry];
            Arrays.fill(trees, entry, entryCount, null);
            ENTRY_COUNT.setRelease(this, entry);
        }
    }

    /** Whether the transaction has taken a change back: records may then bear its id of which nothing is here. */
    boolean wasTruncated() {
        return truncated;
    }

    /** Empties the buffer for the next transaction. */
    public void clear() {
        truncate(0);
        truncated = false;
        if (capacityBytes() > BYTES_KEPT_MAX) {
            raiseEpoch();
            bytes = new byte[BYTES_INITIAL];
            allocateEntries();
        }
    }
}
