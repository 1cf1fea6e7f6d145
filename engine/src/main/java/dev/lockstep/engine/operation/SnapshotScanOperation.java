package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.KeyBytes;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.transaction.Snapshot;
import dev.lockstep.engine.transaction.SnapshotRecord;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.type.RecordBuffer;
import dev.lockstep.engine.type.RecordTarget;
import java.util.Arrays;

/**
 * The step of a range scan of a snapshot, forwards or backwards: copies a run of records of one leaf, validates the
 * leaf, and then takes back in the copies what others have changed since. Keys that have versions but no record in the
 * leaf, because they were deleted, take their place between the others. Takes no lock and waits for none.
 *
 * <p>Invariants, between steps:
 * <ul>
 *   <li>{@code staged[next .. count)} are the records behind those that were given out, in the order of the scan, as
 *       they are in the snapshot: nothing that happens makes them untrue.
 *   <li>The records behind them begin at {@code bound}: above it, forwards also at it if {@code boundInclusive}, and
 *       backwards below it. {@code boundBytes} is -1 where there is none. There are none if {@code atEnd}.
 *   <li>{@code targets[.. filled)} hold records; one in overflow pages is the last of its step.
 * </ul>
 */
public final class SnapshotScanOperation extends RecordOperation {
    /** Records of one run: a batch of the usual size, and little to do again where the leaf has changed. */
    private static final int RUN_RECORDS_MAX = 64;

    private static final int STAGE_SERVE = 3;
    private static final int NO_KEY = -1;

    /** Leaves after which a scan counts as long; see {@link ScanOperation}. */
    private static final int LEAVES_OF_SHORT_SCAN = 8;

    private static final byte[] ABOVE_ALL_KEYS = aboveAllKeys();

    private final RecordTarget[] none = {};
    private SnapshotRecord[] copied = new SnapshotRecord[0];
    private SnapshotRecord[] staged = new SnapshotRecord[0];
    private int copiedCount;
    private int next;
    private int count;
    private Snapshot snapshot;
    private byte[] low = KeyBytes.EMPTY;
    private byte[] high = KeyBytes.EMPTY;
    private byte[] bound = KeyBytes.EMPTY;
    private byte[] runEnd = KeyBytes.EMPTY;
    private int lowBytes;
    private int highBytes;
    private int boundBytes;
    private int runEndBytes;
    private boolean boundInclusive;
    private boolean runEndIncluded;
    private boolean runEndsRange;
    private boolean backward;
    private boolean atEnd;
    private RecordTarget[] targets = none;
    private int filled;
    private int wanted;
    private boolean overflow;
    private int leafCount;

    public SnapshotScanOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    private static byte[] aboveAllKeys() {
        byte[] key = new byte[NodeLayout.KEY_BYTES_MAX];
        Arrays.fill(key, (byte) 0xFF);
        return key;
    }

    /**
     * Aims at the keys from {@code lowKey}, inclusive, up to {@code highKey}, exclusive.
     *
     * @param lowKey null is minus infinity
     * @param highKey null is plus infinity
     */
    public void start(
            BTree source,
            Snapshot seen,
            byte[] lowKey,
            int lowKeyBytes,
            byte[] highKey,
            int highKeyBytes,
            boolean backwards) {
        snapshot = seen;
        lowBytes = lowKey == null ? NO_KEY : lowKeyBytes;
        highBytes = highKey == null ? NO_KEY : highKeyBytes;
        if (lowKey != null) {
            low = copy(lowKey, lowKeyBytes, low);
        }
        if (highKey != null) {
            high = copy(highKey, highKeyBytes, high);
        }
        backward = backwards;
        next = 0;
        count = 0;
        overflow = false;
        longScan = false;
        leafCount = 0;
        atEnd = lowBytes != NO_KEY && highBytes != NO_KEY && KeyBytes.compare(low, lowBytes, high, highBytes) >= 0;
        boundInclusive = true;
        boundBytes = backward ? highBytes : lowBytes;
        if (boundBytes != NO_KEY) {
            bound = copy(backward ? high : low, boundBytes, bound);
        }
        aim(source, KeyBytes.EMPTY, 0, 0);
    }

    private static byte[] copy(byte[] from, int bytes, byte[] into) {
        byte[] target = KeyBytes.room(into, bytes);
        System.arraycopy(from, 0, target, 0, bytes);
        return target;
    }

    /** Prepares the step to the next records, which targets from {@code from} to {@code to}, exclusive, take. */
    public void next(RecordTarget[] into, int from, int to) {
        targets = into;
        filled = from;
        wanted = to;
        overflow = false;
        stage = STAGE_SERVE;
    }

    /** The target behind the last one that has a record; before {@code to} as in {@link ScanOperation#filled}. */
    public int filled() {
        return filled;
    }

    /** Whether the last value is the stub of an overflow chain, and has to be fetched by its key. */
    public boolean isOverflow() {
        return overflow;
    }

    @Override
    public int step() {
        return switch (stage) {
            case STAGE_DESCEND -> descendToLeaf();
            case STAGE_LEAF -> visitLeaf();
            default -> serve();
        };
    }

    /** Gives out records, or aims at those that follow. */
    private int serve() {
        while (filled < wanted && next < count) {
            SnapshotRecord record = staged[next++];
            RecordTarget row = targets[filled++];
            System.arraycopy(record.key(), 0, row.ensureKeyCapacity(record.keyBytes()), 0, record.keyBytes());
            row.setKeyLength(record.keyBytes());
            overflow = record.isOverflow();
            int bytes = overflow ? record.valueBytes() : Math.min(record.valueBytes(), row.valueBytesWanted());
            System.arraycopy(record.value(), 0, row.ensureValueCapacity(bytes), 0, bytes);
            row.setValueLength(bytes);
            row.setPosition(RecordBuffer.NO_POSITION, 0, 0, 0, 0, 0);
            if (overflow) {
                return DONE;
            }
        }
        return filled == wanted || atEnd ? DONE : seek();
    }

    private int seek() {
        // What it has read may be of pages that others have since, and that lead it back to where it is.
        tree.requireNotDropped();
        if (boundBytes != NO_KEY) {
            aim(tree, bound, boundBytes, 0, backward);
        } else if (backward) {
            aim(tree, ABOVE_ALL_KEYS, ABOVE_ALL_KEYS.length, 0);
        } else {
            aim(tree, KeyBytes.EMPTY, 0, 0);
        }
        if (!backward) {
            tryHint(false);
        }
        stage = STAGE_DESCEND;
        return CONTINUE;
    }

    private int visitLeaf() {
        if (copied.length == 0) {
            copied = newRecords();
            staged = newRecords();
        }
        int at = Node.find(memory, page, key, keyBytes);
        if (!isRightLeaf(at)) {
            tree.requireNotDropped();
            return descendAgain();
        }
        copyRun(at);
        if (!validate()) {
            return descendAgain();
        }
        longScan = ++leafCount > LEAVES_OF_SHORT_SCAN;
        next = 0;
        count = 0;
        stageRun();
        stage = STAGE_SERVE;
        return CONTINUE;
    }

    private static SnapshotRecord[] newRecords() {
        SnapshotRecord[] records = new SnapshotRecord[RUN_RECORDS_MAX];
        for (int i = 0; i < records.length; i++) {
            records[i] = new SnapshotRecord();
        }
        return records;
    }

    /** Copies records of the leaf, and up to where they are all that the leaf has; to be validated. */
    private void copyRun(int at) {
        int slot;
        int end;
        if (backward) {
            slot = (at >= 0 ? at : -at - 1) - 1;
            end = lowBytes == NO_KEY ? 0 : Node.slotNotBelow(memory, page, low, lowBytes);
        } else {
            slot = at < 0 ? -at - 1 : boundInclusive ? at : at + 1;
            end = highBytes == NO_KEY ? Node.slotCount(memory, page) : Node.slotNotBelow(memory, page, high, highBytes);
        }
        copiedCount = 0;
        while (backward ? slot >= end : slot < end) {
            if (copiedCount == RUN_RECORDS_MAX) {
                SnapshotRecord last = copied[copiedCount - 1];
                setRunEnd(last.key(), last.keyBytes(), true);
                return;
            }
            copySlot(slot, copied[copiedCount++]);
            slot += backward ? -1 : 1;
        }
        endOfLeaf(backward ? slot < 0 : slot >= Node.slotCount(memory, page));
    }

    private void copySlot(int slot, SnapshotRecord into) {
        long word = Node.slotWord(memory, page, slot);
        byte[] target = into.ensureKey(Node.prefixBytes(memory, page) + Node.suffixBytesOf(word));
        into.setKeyBytes(Node.copyLeafKey(memory, page, word, target));
        SnapshotFetchOperation.copyValue(memory, page, word, into);
    }

    /** Notes up to where the leaf says everything: its fence, or the end of the range. */
    private void endOfLeaf(boolean allOfLeaf) {
        runEndsRange = true;
        if (!allOfLeaf) {
            return;
        }
        if (backward) {
            int bytes = Node.lowerFenceBytes(memory, page);
            runEnd = KeyBytes.room(runEnd, bytes);
            int fenceBytes = Node.copyLowerFence(memory, page, runEnd);
            runEndBytes = fenceBytes;
            runEndIncluded = true;
            runEndsRange =
                    fenceBytes == 0 || (lowBytes != NO_KEY && KeyBytes.compare(runEnd, fenceBytes, low, lowBytes) <= 0);
        } else if (Node.hasUpperFence(memory, page)) {
            runEnd = KeyBytes.room(runEnd, Node.upperFenceBytes(memory, page));
            runEndBytes = Node.copyUpperFence(memory, page, runEnd);
            runEndIncluded = false;
            runEndsRange = highBytes != NO_KEY && KeyBytes.compare(runEnd, runEndBytes, high, highBytes) >= 0;
        }
    }

    private void setRunEnd(byte[] end, int bytes, boolean included) {
        runEnd = copy(end, bytes, runEnd);
        runEndBytes = bytes;
        runEndIncluded = included;
        runEndsRange = false;
    }

    /** Merges the run with the keys that only the versions know, as they are in the snapshot. */
    private void stageRun() {
        boolean inclusive = !backward && boundInclusive;
        Snapshot.KeyIterator keys = boundBytes == NO_KEY
                ? snapshot.keys(tree, null, 0, true, backward)
                : snapshot.keys(tree, bound, boundBytes, inclusive, backward);
        boolean more = keys != null && keys.next() && isInRun(keys);
        int record = 0;
        while (record < copiedCount || more) {
            if (count == RUN_RECORDS_MAX) {
                SnapshotRecord last = staged[count - 1];
                moveBound(last.key(), last.keyBytes(), false);
                return;
            }
            int order = record == copiedCount ? -1 : more ? compare(keys, copied[record]) : 1;
            if (order < 0) {
                SnapshotRecord missing = staged[count];
                missing.setKey(keys.key(), keys.keyBytes());
                missing.setAbsent();
                stageIfThere(missing);
            } else {
                SnapshotRecord taken = copied[record];
                copied[record++] = staged[count];
                staged[count] = taken;
                stageIfThere(taken);
            }
            if (order <= 0) {
                more = keys.next() && isInRun(keys);
            }
        }
        if (runEndsRange) {
            atEnd = true;
        } else {
            if (boundBytes != NO_KEY) {
                // What leads nowhere may be of a page that others have since.
                tree.requireNotDropped();
                requireLeadsOn(runEnd, runEndBytes, bound, boundBytes, backward);
            }
            moveBound(runEnd, runEndBytes, !runEndIncluded);
        }
    }

    private void stageIfThere(SnapshotRecord record) {
        snapshot.resolve(tree, record);
        if (record.exists()) {
            count++;
        }
    }

    private void moveBound(byte[] to, int bytes, boolean inclusive) {
        bound = copy(to, bytes, bound);
        boundBytes = bytes;
        boundInclusive = inclusive;
    }

    /** Negative if the key comes first in the direction of the scan. */
    private int compare(Snapshot.KeyIterator keys, SnapshotRecord record) {
        int order = KeyBytes.compare(keys.key(), keys.keyBytes(), record.key(), record.keyBytes());
        return backward ? -order : order;
    }

    /** Whether a key lies in the part of the range for which the run says what the leaf has. */
    private boolean isInRun(Snapshot.KeyIterator keys) {
        byte[] name = keys.key();
        int bytes = keys.keyBytes();
        if (runEndsRange) {
            return backward
                    ? lowBytes == NO_KEY || KeyBytes.compare(name, bytes, low, lowBytes) >= 0
                    : highBytes == NO_KEY || KeyBytes.compare(name, bytes, high, highBytes) < 0;
        }
        int order = KeyBytes.compare(name, bytes, runEnd, runEndBytes);
        return order == 0 ? runEndIncluded : backward ? order > 0 : order < 0;
    }
}
