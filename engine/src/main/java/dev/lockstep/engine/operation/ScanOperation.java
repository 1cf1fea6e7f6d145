package dev.lockstep.engine.operation;

import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.GroupPrefetch;
import dev.lockstep.engine.btree.KeyBytes;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.NodeLines;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.type.RecordTarget;
import java.util.Arrays;

/**
 * The step of a range scan: finds the next records in key order, forwards or backwards, locks them as the isolation
 * level asks, copies them.
 *
 * <p>One stage serves a run: all records of one leaf that are in the range and wanted. Where the range ends in the leaf
 * is searched once, so no key is compared, and the leaf is validated once behind the run; the records of a run that
 * fails it are dropped. Ghosts, and locks that have to be waited for, end a run.
 *
 * <p>A serializable scan also locks the gap below every key that it meets, and the gap below the first key beyond its
 * range, so that nothing can be inserted into what it has read. A backward scan locks the gap above its upper bound
 * before it reads.
 *
 * <p>Invariants, between steps:
 * <ul>
 *   <li>{@code lastKey} is the key at which the scan stands: records up to it, in scan direction, were returned or
 *       skipped. {@code lastKeyBytes} is -1 before the first.
 *   <li>{@code lastSlot} is the slot of {@code lastKey} in the leaf on which the walk stands, when that had
 *       {@code version}; -1 where it has left that leaf.
 *   <li>{@code endSlot} is the first slot behind the range or, backwards, the last one within it, when the leaf had
 *       {@code version}; -1 where it was not looked for yet.
 *   <li>{@code targets[.. filled)} hold the records that this step has found; a record in overflow pages is the last of
 *       its step.
 * </ul>
 */
public final class ScanOperation extends RecordOperation {
    private static final int STAGE_GUARD_HIGH_END = 3;
    private static final int STAGE_RESUME = 4;
    private static final int STAGE_RUN = 5;
    private static final int STAGE_END = 6;
    private static final int NO_KEY = -1;
    private static final int NO_SLOT = -1;

    /** A run has served all records that were wanted. */
    private static final int RUN_DONE = 0;

    /** A run has reached the end of the range or of the leaf. */
    private static final int RUN_AT_END = 1;

    /** A run has met a ghost. */
    private static final int RUN_AT_GHOST = 2;

    /** A run has met a record that somebody else has locked. */
    private static final int RUN_AT_LOCK = 3;

    /** What was read does not count. */
    private static final int RUN_VOID = 4;

    /**
     * Leaves after which a scan counts as long. The range scans of transactions stay below it, and a scan of a whole
     * table has then touched 64 KiB: little to lose if it should come again.
     */
    private static final int LEAVES_OF_SHORT_SCAN = 8;

    /** Above every key of a table: as long as the longest, and all bits set. Never written to again. */
    private static final byte[] ABOVE_ALL_KEYS = aboveAllKeys();

    private byte[] lastKey = new byte[KeyBytes.ROOM_BYTES_INITIAL];
    private byte[] candidate = new byte[KeyBytes.ROOM_BYTES_INITIAL];
    private byte[] seek = new byte[KeyBytes.ROOM_BYTES_INITIAL];
    private int seekBytes;
    private byte[] low = KeyBytes.EMPTY;
    private byte[] high = KeyBytes.EMPTY;
    private final NextKeyFinder nextKey = new NextKeyFinder();
    private final RecordTarget[] single = new RecordTarget[1];
    private RecordTarget[] targets = single;
    private int filled;
    private int filledBefore;
    private int wanted;
    private int lastKeyBytes;
    private int lowBytes;
    private int highBytes;
    private boolean backward;
    private int keyLockMode;
    private boolean lockInstant;
    private boolean lockGaps;
    private int slot;
    private int lastSlot;
    private int endSlot;
    private int slotFlags;
    private int candidateBytes;
    private byte[] rowKey = KeyBytes.EMPTY;
    private int rowKeyBytes;
    private long rowLockName;
    private boolean emptyRange;
    private boolean ended;
    private boolean seekInclusive;
    private boolean awaitsOthers;
    private boolean highEndGuarded;
    private int leafCount;
    private int leavesLeft;
    private int leftFrame;
    private long leftVersion;
    private boolean gapGuarded;
    private long guardedName;

    public ScanOperation(LockManager locks, TransactionTable transactions, TransactionContext context) {
        super(locks, transactions, context);
    }

    /** Makes an operation that goes to its first leaf in turn with others, and from there on by itself. */
    public static ScanOperation besideOthers(
            LockManager locks, TransactionTable transactions, TransactionContext context) {
        ScanOperation scan = new ScanOperation(locks, transactions, context);
        scan.walksBesideOthers(true);
        return scan;
    }

    /**
     * Aims at the keys from {@code lowKey}, inclusive, up to {@code highKey}, exclusive. An operation
     * {@linkplain #besideOthers beside others} is to {@link #followHint} behind its first {@link #next(RecordTarget[],
     * int, int)}, when all of them were aimed.
     *
     * @param lowKey null is minus infinity
     * @param highKey null is plus infinity
     * @param mode key lock of every record: {@link LockMode#KEY_S}, {@link LockMode#KEY_U} or
     *     {@link LockMode#KEY_X}; {@link LockMode#NONE} where a lock on the table keeps everybody from changing it
     * @param into takes key and value of each record that {@link #next()} finds
     */
    public void start(
            BTree source,
            byte[] lowKey,
            int lowKeyBytes,
            byte[] highKey,
            int highKeyBytes,
            boolean backwards,
            int mode,
            RecordTarget into) {
        lowBytes = lowKey == null ? NO_KEY : lowKeyBytes;
        if (lowKey != null) {
            low = KeyBytes.room(low, lowKeyBytes);
            System.arraycopy(lowKey, 0, low, 0, lowKeyBytes);
        }
        highBytes = highKey == null ? NO_KEY : highKeyBytes;
        if (highKey != null) {
            high = KeyBytes.room(high, highKeyBytes);
            System.arraycopy(highKey, 0, high, 0, highKeyBytes);
        }
        emptyRange = lowBytes != NO_KEY && highBytes != NO_KEY && KeyBytes.compare(low, lowBytes, high, highBytes) >= 0;
        backward = backwards;
        single[0] = into;
        lastKeyBytes = NO_KEY;
        lastSlot = NO_SLOT;
        endSlot = NO_SLOT;
        filled = 0;
        filledBefore = 0;
        ended = false;
        highEndGuarded = false;
        longScan = false;
        leafCount = 0;
        leavesLeft = 0;
        gapGuarded = false;
        awaitsOthers = isBesideOthers();
        Isolation isolation = context.isolation();
        lockGaps = isolation == Isolation.SERIALIZABLE && mode != LockMode.NONE;
        lockInstant = isolation == Isolation.READ_COMMITTED && mode == LockMode.KEY_S;
        boolean lockFree = isolation == Isolation.READ_UNCOMMITTED && mode == LockMode.KEY_S;
        keyLockMode = lockFree ? LockMode.NONE : mode;
        aim(source, KeyBytes.EMPTY, 0, 0);
        if (lockGaps) {
            context.rangeScan(source);
        }
    }

    private static byte[] aboveAllKeys() {
        byte[] key = new byte[NodeLayout.KEY_BYTES_MAX];
        Arrays.fill(key, (byte) 0xFF);
        return key;
    }

    /** Prepares the step to the next record. */
    public void next() {
        next(single, 0, 1);
    }

    /**
     * Prepares the step to the next records.
     *
     * @param into those from {@code from} to {@code to}, exclusive, take the records in order; others may have been
     *     written to as well where fewer are found
     */
    public void next(RecordTarget[] into, int from, int to) {
        targets = into;
        filled = from;
        filledBefore = from;
        wanted = to;
        slotFlags = 0;
        if (emptyRange || ended) {
            ended = false;
            stage = STAGE_END;
        } else if (lastKeyBytes != NO_KEY) {
            stage = STAGE_RESUME;
        } else if (backward && lockGaps && !highEndGuarded) {
            stage = STAGE_GUARD_HIGH_END;
        } else {
            seekFromLastKey();
        }
    }

    /**
     * Has the hint to the first leaf on its way from memory: before {@link #followHint}, while those of others are on
     * theirs.
     *
     * @return something to add up, so that no compiler leaves the read out
     */
    public long touchHint() {
        return readHint();
    }

    /** Begins at the leaf where a range like this one was found last. */
    public void followHint() {
        awaitsOthers = false;
        if (stage == STAGE_DESCEND) {
            followHint(false);
        }
    }

    /** Whether the step has found its first leaf, or needs none: up to there it locks nothing. */
    public boolean hasArrived() {
        return stage != STAGE_DESCEND && stage != STAGE_LEAF;
    }

    /** Whether the step reached a record; false at the end of the range. */
    public boolean found() {
        return filled > filledBefore;
    }

    /**
     * The target behind the last one that has a record. Before {@code to} only where the range has ended, or the last
     * record {@linkplain #isOverflow() is in overflow pages}.
     */
    public int filled() {
        return filled;
    }

    /** Whether the locks of the records that were found stay until the end of the transaction. */
    public boolean keepsLocks() {
        return keyLockMode != LockMode.NONE && !lockInstant;
    }

    /** Whether the last value that was copied is the stub of an overflow chain. */
    public boolean isOverflow() {
        return (slotFlags & NodeLayout.SLOT_OVERFLOW) != 0;
    }

    @Override
    public int step() {
        int result = visit();
        if (result == DONE) {
            context.lockOwner().raiseDependsOnLsn(tree.purgedLsnAcquire());
        }
        return result;
    }

    @Override
    public int stepOn() {
        int result;
        do {
            result = step();
        } while (result == CONTINUE);
        return result;
    }

    private int visit() {
        return switch (stage) {
            case STAGE_GUARD_HIGH_END -> guardHighEnd();
            case STAGE_RESUME -> resume();
            case STAGE_DESCEND -> descendToLeaf();
            case STAGE_LEAF -> enterLeaf();
            case STAGE_RUN -> serveRun();
            default -> DONE;
        };
    }

    /** Aims at the first record behind {@code lastKey}, or at the start of the range. */
    private int seekFromLastKey() {
        leavesLeft = 0;
        lastSlot = NO_SLOT;
        if (lastKeyBytes != NO_KEY) {
            seekInclusive = false;
            return seek(lastKey, lastKeyBytes, backward);
        }
        if (!backward) {
            seekInclusive = true;
            return lowBytes == NO_KEY ? seek(KeyBytes.EMPTY, 0, false) : seek(low, lowBytes, false);
        }
        return highBytes == NO_KEY ? seekEnd() : seek(high, highBytes, true);
    }

    private int seek(byte[] from, int fromBytes, boolean keysBelow) {
        seek = KeyBytes.room(seek, fromBytes);
        seekBytes = fromBytes;
        System.arraycopy(from, 0, seek, 0, fromBytes);
        aim(tree, seek, fromBytes, 0, keysBelow);
        if (!keysBelow) {
            findHint(false);
            if (!awaitsOthers) {
                followHint(false);
            }
        }
        stage = STAGE_DESCEND;
        return CONTINUE;
    }

    /** Aims at the last leaf. */
    private int seekEnd() {
        seekBytes = NO_KEY;
        aim(tree, ABOVE_ALL_KEYS, ABOVE_ALL_KEYS.length, 0);
        stage = STAGE_DESCEND;
        return CONTINUE;
    }

    /** Goes on behind {@code lastKey} in the leaf where it was, if it still is there. */
    private int resume() {
        key = lastKey;
        keyBytes = lastKeyBytes;
        if (lastSlot == NO_SLOT) {
            return seekFromLastKey();
        }
        if (!validate()) {
            if (!jumpTo(pageId, frame, lastSlot)) {
                return seekFromLastKey();
            }
            endSlot = NO_SLOT;
        }
        slot = lastSlot + (backward ? -1 : 1);
        stage = STAGE_RUN;
        return CONTINUE;
    }

    private int enterLeaf() {
        int at = Node.find(memory, page, key, keyBytes);
        if (!isRightLeaf(at)) {
            return descendAgain();
        }
        if (backward) {
            slot = (at >= 0 ? at : -at - 1) - 1;
        } else if (at >= 0) {
            slot = seekInclusive ? at : at + 1;
        } else {
            slot = -at - 1;
        }
        lastSlot = NO_SLOT;
        endSlot = NO_SLOT;
        stage = STAGE_RUN;
        return CONTINUE;
    }

    private int serveRun() {
        if (endSlot == NO_SLOT) {
            endSlot = findEndSlot();
        }
        int first = filled;
        int outcome = copyRun();
        if (outcome == RUN_VOID || !validate()) {
            filled = first;
            // A row in overflow pages ends its step, so what was kept before is none.
            slotFlags = 0;
            return seekFromLastKey();
        }
        if (filled > first) {
            standAt(rowKey, rowKeyBytes, slot - (backward ? -1 : 1));
        }
        return switch (outcome) {
            case RUN_DONE -> DONE;
            case RUN_AT_END -> endOfRun();
            case RUN_AT_GHOST -> passGhost();
            default -> waitForRow(rowLockName);
        };
    }

    private int findEndSlot() {
        if (backward) {
            return lowBytes == NO_KEY ? 0 : Node.slotNotBelow(memory, page, low, lowBytes);
        }
        return highBytes == NO_KEY ? Node.slotCount(memory, page) : Node.slotNotBelow(memory, page, high, highBytes);
    }

    /** Locks and copies records until something ends the run. */
    private int copyRun() {
        int step = backward ? -1 : 1;
        while (filled < wanted) {
            if (backward ? slot < endSlot : slot >= endSlot) {
                return RUN_AT_END;
            }
            long word = Node.slotWord(memory, page, slot);
            int flags = Node.flagsOf(word);
            if (isGhost(flags)) {
                return RUN_AT_GHOST;
            }
            RecordTarget row = targets[filled];
            if (isLockNeedless(word)) {
                int bytes = Node.prefixBytes(memory, page) + Node.suffixBytesOf(word);
                rowKey = row.ensureKeyCapacity(Math.min(bytes, NodeLayout.KEY_BYTES_MAX));
                rowKeyBytes = Node.copyLeafKey(memory, page, word, rowKey);
            } else {
                int outcome = lockRow();
                if (outcome != RUN_DONE) {
                    return outcome;
                }
                rowKey = row.ensureKeyCapacity(candidateBytes);
                rowKeyBytes = candidateBytes;
                System.arraycopy(candidate, 0, rowKey, 0, candidateBytes);
            }
            row.setKeyLength(rowKeyBytes);
            int bytes = valueBytesWanted(word, row);
            Node.copyOut(memory, Node.valueAddressOf(page, word), row.ensureValueCapacity(bytes), 0, bytes);
            row.setValueLength(bytes);
            row.setPosition(pageId, frame, slot, version, tree.stamp(), lockStamp(context, keyLockMode, lockInstant));
            slotFlags = flags;
            filled++;
            slot += step;
            if (isOverflow()) {
                return RUN_DONE;
            }
        }
        return RUN_DONE;
    }

    /** Whether the record at {@code slot} may be read whatever its lock, because its writer has ended. */
    private boolean isLockNeedless(long slotWord) {
        return keyLockMode == LockMode.NONE
                || (lockInstant && Node.versionOf(memory, page, slotWord) < context.committedBelow());
    }

    /** Locks the record at {@code slot}; its key is then in {@code candidate}. */
    private int lockRow() {
        long name = nameOfSlot();
        if (!lock(name)) {
            rowLockName = name;
            return RUN_AT_LOCK;
        }
        return leavesLeft > 0 && !isGapClosed(name) ? RUN_VOID : RUN_DONE;
    }

    /** Copies the key at {@code slot} to {@code candidate}, and names its lock. */
    private long nameOfSlot() {
        long word = Node.slotWord(memory, page, slot);
        candidate = KeyBytes.room(candidate, Node.prefixBytes(memory, page) + Node.suffixBytesOf(word));
        candidateBytes = Node.copyLeafKey(memory, page, word, candidate);
        return LockName.ofKey(tree.treeId(), tree.leadingBytes(), candidate, 0, candidateBytes);
    }

    /** Goes past a ghost once it is certain that it is one: whoever deleted the record has to have ended. */
    private int passGhost() {
        long name = nameOfSlot();
        if (!isLockNeedless(Node.slotWord(memory, page, slot)) && !lock(name)) {
            return validate() ? waitForRow(name) : seekFromLastKey();
        }
        if ((leavesLeft > 0 && !isGapClosed(name)) || !validate()) {
            return seekFromLastKey();
        }
        standAt(candidate, candidateBytes, slot);
        context.ghostMet(tree, lastKey, lastKeyBytes);
        slot += backward ? -1 : 1;
        return CONTINUE;
    }

    private void standAt(byte[] reached, int reachedBytes, int reachedSlot) {
        lastKey = KeyBytes.room(lastKey, reachedBytes);
        System.arraycopy(reached, 0, lastKey, 0, reachedBytes);
        lastKeyBytes = reachedBytes;
        lastSlot = reachedSlot;
    }

    private int waitForRow(long name) {
        seekFromLastKey();
        return waitForLock(name, lockMode(), lockInstant);
    }

    private int lockMode() {
        return lockGaps ? keyLockMode | LockMode.GAP_S : keyLockMode;
    }

    private boolean lock(long name) {
        return lockInstant
                ? locks.tryLockInstant(context.lockOwner(), name, keyLockMode)
                : locks.tryLock(context.lockOwner(), name, lockMode());
    }

    private int endOfRun() {
        if (backward) {
            return slot < 0 ? leaveLeafBackwards() : endIfValid();
        }
        if (slot >= Node.slotCount(memory, page)) {
            return leaveLeafForwards();
        }
        return lockGaps ? endBehind(nameOfSlot()) : endIfValid();
    }

    /** Locks the gap below the first key beyond the range, then ends. */
    private int endBehind(long name) {
        if (!locks.tryLock(context.lockOwner(), name, LockMode.GAP_S)) {
            if (!validate()) {
                return seekFromLastKey();
            }
            seekFromLastKey();
            return waitForLock(name, LockMode.GAP_S, false);
        }
        if (leavesLeft > 0 && !isGapClosed(name)) {
            return seekFromLastKey();
        }
        return endIfValid();
    }

    /**
     * Whether nothing can have come into the gap that begins at the end of a leaf already left: the lock of the key
     * behind it was got only now. It is closed if that leaf is unchanged, or was read again under the lock.
     */
    private boolean isGapClosed(long name) {
        boolean unchanged = leavesLeft == 1 && latches.validateAcquire(leftFrame, leftVersion);
        boolean closed = unchanged || (gapGuarded && guardedName == name);
        gapGuarded = !closed;
        guardedName = name;
        leavesLeft = 0;
        return closed;
    }

    private int endIfValid() {
        return validate() ? end() : seekFromLastKey();
    }

    /** Ends the range; the step that finds nothing behind the last records does not have to look again. */
    private int end() {
        ended = found();
        lastSlot = NO_SLOT;
        return DONE;
    }

    private int leaveLeafForwards() {
        longScan = ++leafCount > LEAVES_OF_SHORT_SCAN;
        if (!Node.hasUpperFence(memory, page)) {
            return lockGaps ? endBehind(NextKeyFinder.endOfTree(tree)) : endIfValid();
        }
        candidate = KeyBytes.room(candidate, Node.upperFenceBytes(memory, page));
        int fenceBytes = Node.copyUpperFence(memory, page, candidate);
        if (!validate()) {
            return seekFromLastKey();
        }
        requireLeadsOn(candidate, fenceBytes, seek, seekBytes, false);
        if (!lockGaps && highBytes != NO_KEY && KeyBytes.compare(candidate, fenceBytes, high, highBytes) >= 0) {
            return end();
        }
        if (lockGaps && leavesLeft++ == 0) {
            leftFrame = frame;
            leftVersion = version;
        }
        seekInclusive = true;
        return seek(candidate, fenceBytes, false);
    }

    private int leaveLeafBackwards() {
        longScan = ++leafCount > LEAVES_OF_SHORT_SCAN;
        candidate = KeyBytes.room(candidate, Node.lowerFenceBytes(memory, page));
        int fenceBytes = Node.copyLowerFence(memory, page, candidate);
        if (!validate()) {
            return seekFromLastKey();
        }
        boolean lowest = lowBytes != NO_KEY && KeyBytes.compare(candidate, fenceBytes, low, lowBytes) <= 0;
        if (fenceBytes == 0 || lowest) {
            return end();
        }
        if (seekBytes != NO_KEY) {
            requireLeadsOn(candidate, fenceBytes, seek, seekBytes, true);
        }
        return seek(candidate, fenceBytes, true);
    }

    /** Locks the gap above the range before a backward scan reads. */
    private int guardHighEnd() {
        if (!findHighEnd()) {
            neededPageId = nextKey.neededPageId();
            return LOAD_PAGE;
        }
        long name = nextKey.name();
        if (!locks.tryLock(context.lockOwner(), name, LockMode.GAP_S)) {
            return waitForLock(name, LockMode.GAP_S, false);
        }
        if (findHighEnd() && nextKey.name() == name) {
            highEndGuarded = true;
            return seekFromLastKey();
        }
        return CONTINUE;
    }

    /** Finds the first key at or above the high end; false when a page is needed first. */
    private boolean findHighEnd() {
        if (highBytes == NO_KEY) {
            nextKey.setToEndOf(tree);
            return true;
        }
        return nextKey.findFrom(tree, Arrays.copyOf(high, highBytes));
    }

    /** Of the records to come those in this leaf; forwards only, as scans beside others go. */
    @Override
    public void addNextLines(GroupPrefetch prefetch) {
        if (stage == STAGE_RUN) {
            int end = Math.min(Node.slotCount(memory, page), slot + wanted - filled);
            NodeLines.addCellLines(prefetch, memory, page, slot, end, targets[filled].valueBytesWanted());
        } else if (stage == STAGE_LEAF && isHinted()) {
            NodeLines.addLastSlotLine(prefetch, memory, page);
        } else {
            super.addNextLines(prefetch);
        }
    }
}
