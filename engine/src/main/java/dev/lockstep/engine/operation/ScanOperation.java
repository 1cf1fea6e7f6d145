package dev.lockstep.engine.operation;

import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.KeyBytes;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.engine.type.RecordTarget;
import java.util.Arrays;

/**
 * The step of a range scan: finds the next record in key order, forwards or backwards, locks it as the isolation level
 * asks, copies it.
 *
 * <p>A serializable scan also locks the gap below every key that it meets, and the gap below the first key beyond its
 * range, so that nothing can be inserted into what it has read. A backward scan locks the gap above its upper bound
 * before it reads.
 *
 * <p>Invariants, between steps:
 * <ul>
 *   <li>{@code lastKey} is the key at which the scan stands: records up to it, in scan direction, were returned or
 *       skipped. {@code lastKeyBytes} is -1 before the first.
 *   <li>The leaf position ({@code pageId}, {@code slot}) is a hint that is checked against {@code lastKey}.
 * </ul>
 */
public final class ScanOperation extends RecordOperation {
    private static final int STAGE_GUARD_HIGH_END = 3;
    private static final int STAGE_RESUME = 4;
    private static final int STAGE_SLOT = 5;
    private static final int NO_KEY = -1;

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
    private byte[] low = KeyBytes.EMPTY;
    private byte[] high = KeyBytes.EMPTY;
    private final NextKeyFinder nextKey = new NextKeyFinder();
    private RecordTarget target;
    private int lastKeyBytes;
    private int lowBytes;
    private int highBytes;
    private boolean backward;
    private int keyLockMode;
    private boolean lockInstant;
    private boolean lockGaps;
    private int slot;
    private int slotFlags;
    private boolean found;
    private boolean seekInclusive;
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

    /**
     * Aims at the keys from {@code lowKey}, inclusive, up to {@code highKey}, exclusive.
     *
     * @param lowKey null is minus infinity
     * @param highKey null is plus infinity
     * @param mode key lock of every record: {@link LockMode#KEY_S}, {@link LockMode#KEY_U} or
     *     {@link LockMode#KEY_X}
     * @param into takes key and value of each record
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
        backward = backwards;
        target = into;
        lastKeyBytes = NO_KEY;
        found = false;
        highEndGuarded = false;
        longScan = false;
        leafCount = 0;
        leavesLeft = 0;
        gapGuarded = false;
        Isolation isolation = context.isolation();
        lockGaps = isolation == Isolation.SERIALIZABLE;
        lockInstant = isolation == Isolation.READ_COMMITTED && mode == LockMode.KEY_S;
        boolean lockFree = isolation == Isolation.READ_UNCOMMITTED && mode == LockMode.KEY_S;
        keyLockMode = lockFree ? LockMode.NONE : mode;
        aim(source, KeyBytes.EMPTY, 0, 0);
        if (lockGaps) {
            context.rangeScan(source);
        }
    }

    /** Sends the following records somewhere else. */
    public void retarget(RecordTarget into) {
        target = into;
    }

    private static byte[] aboveAllKeys() {
        byte[] key = new byte[NodeLayout.KEY_BYTES_MAX];
        Arrays.fill(key, (byte) 0xFF);
        return key;
    }

    /** Prepares the step to the next record. */
    public void next() {
        found = false;
        if (lastKeyBytes != NO_KEY) {
            stage = STAGE_RESUME;
        } else if (backward && lockGaps && !highEndGuarded) {
            stage = STAGE_GUARD_HIGH_END;
        } else {
            seekFromLastKey();
        }
    }

    /** Whether the step reached a record; false at the end of the range. */
    public boolean found() {
        return found;
    }

    /** Whether the locks of the records that were found stay until the end of the transaction. */
    public boolean keepsLocks() {
        return keyLockMode != LockMode.NONE && !lockInstant;
    }

    /** Whether the value that was copied is the stub of an overflow chain. */
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
            default -> visitSlot();
        };
    }

    /** Aims at the first record behind {@code lastKey}, or at the start of the range. */
    private int seekFromLastKey() {
        leavesLeft = 0;
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
        System.arraycopy(from, 0, seek, 0, fromBytes);
        aim(tree, seek, fromBytes, 0, keysBelow);
        stage = STAGE_DESCEND;
        return CONTINUE;
    }

    /** Aims at the last leaf. */
    private int seekEnd() {
        aim(tree, ABOVE_ALL_KEYS, ABOVE_ALL_KEYS.length, 0);
        stage = STAGE_DESCEND;
        return CONTINUE;
    }

    /** Goes on behind {@code lastKey} in the leaf where it was, if it still is there. */
    private int resume() {
        key = lastKey;
        keyBytes = lastKeyBytes;
        if (!validate() && !jumpTo(pageId, frame, slot)) {
            return seekFromLastKey();
        }
        slot += backward ? -1 : 1;
        stage = STAGE_SLOT;
        return CONTINUE;
    }

    private int enterLeaf() {
        int at = Node.find(memory, page, key, keyBytes);
        if (backward) {
            slot = (at >= 0 ? at : -at - 1) - 1;
        } else if (at >= 0) {
            slot = seekInclusive ? at : at + 1;
        } else {
            slot = -at - 1;
        }
        stage = STAGE_SLOT;
        return CONTINUE;
    }

    private int visitSlot() {
        if (slot < 0) {
            return leaveLeafBackwards();
        }
        if (slot >= Node.slotCount(memory, page)) {
            return leaveLeafForwards();
        }
        candidate = KeyBytes.room(candidate, Node.keyBytes(memory, page, slot));
        int candidateBytes = Node.copyKey(memory, page, slot, candidate);
        if (isBeyond(candidateBytes)) {
            return backward ? endIfValid() : endAtCandidate(candidateBytes);
        }
        int flags = Node.slotFlags(memory, page, slot);
        long name = LockName.ofKey(tree.treeId(), candidate, 0, candidateBytes);
        if (keyLockMode != LockMode.NONE && !lock(name)) {
            if (!validate()) {
                return seekFromLastKey();
            }
            seekFromLastKey();
            return waitForLock(name, lockMode(), lockInstant);
        }
        if (leavesLeft > 0 && !isGapClosed(name)) {
            return seekFromLastKey();
        }
        boolean ghost = isGhost(flags);
        if (!ghost) {
            int bytes = Node.valueBytes(memory, page, slot);
            Node.copyOut(memory, Node.valueAddress(memory, page, slot), target.ensureValueCapacity(bytes), 0, bytes);
            target.setValueLength(bytes);
        }
        if (!validate()) {
            return seekFromLastKey();
        }
        lastKey = KeyBytes.room(lastKey, candidateBytes);
        System.arraycopy(candidate, 0, lastKey, 0, candidateBytes);
        lastKeyBytes = candidateBytes;
        if (ghost) {
            context.ghostMet(tree, lastKey, lastKeyBytes);
            slot += backward ? -1 : 1;
            return CONTINUE;
        }
        System.arraycopy(candidate, 0, target.ensureKeyCapacity(candidateBytes), 0, candidateBytes);
        target.setKeyLength(candidateBytes);
        target.setPosition(pageId, frame, slot, version, tree.stamp());
        slotFlags = flags;
        found = true;
        return DONE;
    }

    private int lockMode() {
        return lockGaps ? keyLockMode | LockMode.GAP_S : keyLockMode;
    }

    private boolean lock(long name) {
        return lockInstant
                ? locks.tryLockInstant(context.lockOwner(), name, keyLockMode)
                : locks.tryLock(context.lockOwner(), name, lockMode());
    }

    private boolean isBeyond(int candidateBytes) {
        if (backward) {
            return lowBytes != NO_KEY && KeyBytes.compare(candidate, candidateBytes, low, lowBytes) < 0;
        }
        return highBytes != NO_KEY && KeyBytes.compare(candidate, candidateBytes, high, highBytes) >= 0;
    }

    private int endAtCandidate(int candidateBytes) {
        return lockGaps ? endBehind(LockName.ofKey(tree.treeId(), candidate, 0, candidateBytes)) : endIfValid();
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
        return validate() ? DONE : seekFromLastKey();
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
        if (fenceBytes == 0) {
            return DONE;
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
}
