package dev.lockstep.engine.btree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * In which frame, and at which slot, keys were found last: a shortcut past the root, the inner nodes and the pool's
 * translation of pages, and past the search in the leaf.
 *
 * <p>A hint is a guess. Whoever follows one checks that the frame holds a page, that this is a leaf of the tree and
 * that its fences hold the key ({@link Node#coversAt}), under the version of the frame's latch; otherwise it descends
 * from the root, and what it finds there replaces the hint. So hints need no invalidation, and splits, merges, drops
 * and evictions know nothing of them.
 *
 * <p>Keys that differ in the low bits of their last byte alone share a hint, since they are neighbours wherever keys
 * are numbers; keys that are random bytes have a hint each, as far as there is room. Where numbers are dense, the slot
 * of one tells that of the others.
 *
 * <p>Of TPC-C's fetches and scans 94 in 100 are served by a hint. It costs two cache lines (the hint, the fences);
 * it saves the four or so of the root and of each inner node, entries of the translation array, two searches, and, with
 * a slot, four to six lines of the leaf's slots.
 *
 * <p>New keys have no such hint: nobody has found them before. But many are put behind or beside those that were put
 * there last: in order, or for the same customer. So all keys that agree but for their last bytes share a hint of
 * another kind, which tells where one of them was put last, and how often that was right; it is followed only while it
 * mostly is (a saturating counter, as processors predict branches).
 *
 * <pre>
 *   a hint:   | slot of the key whose low bits are 0, i32 | frame + 1, i32 |; 0 where there is none
 *   for puts: | how often it was right, 0 to 3, i32       | frame + 1, i32 |
 *               high 32 bits                                low 32 bits
 * </pre>
 *
 * <p>Invariants: each hint is 0 or names a frame of the pool, and a number that may be no slot at all. Both kinds
 * lie in one table, and one may be taken for the other.
 *
 * <p>Thread-safety: all methods may be called by any thread; a lost or stale hint costs one descent.
 */
final class LeafHints {
    /** No hint: page 0 of a file is its header. */
    static final long NONE = 0;

    /**
     * A leaf has tens to hundreds of records, and up to {@code 1 << GROUP_SHIFT} of them share a hint. With 8 the
     * leaves of wide rows, some 25, are met wrongly by one key in seven; with 4 the table is twice as large.
     */
    private static final int GROUP_SHIFT = 3;

    /** Keys up to this length are not grouped: there are few of them, such as those of the ranges of a scan. */
    private static final int EXACT_BYTES_MAX = 4;

    /**
     * Hints for each frame of the pool, a third of a percent of it: a leaf of narrow rows has some ten groups, of wide
     * ones three.
     */
    private static final int HINTS_PER_FRAME = 4;

    private static final int HINTS_MIN = 1 << 10;

    /** 16 MiB of heap at most. */
    private static final int HINTS_MAX = 1 << 21;

    /** 2^64 divided by the golden ratio: multiplicative hashing, Knuth, The Art of Computer Programming 3, 6.4. */
    private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

    private static final int GROUP_MASK = (1 << GROUP_SHIFT) - 1;

    /** Eight hints to a cache line. */
    private static final int LINE_SHIFT = 3;

    private static final int LINE_MASK = (1 << LINE_SHIFT) - 1;

    /** Bytes at the end of a key without which it names a place to put keys: a number, or the two lowest columns. */
    private static final int TAIL_BYTES = 4;

    /** Makes the places of the two kinds differ. */
    private static final long PUT_SALT = 0x5851F42D4C957F2DL;

    private static final int RIGHT_MAX = 3;

    /** A wrong hint costs a visit of a leaf, a right one saves two: so it has to be right more often than not. */
    private static final int RIGHT_TO_FOLLOW = 2;

    /** How far a slot may lie from where it was guessed before the hint is written anew: within its cache line. */
    private static final int SLOTS_OFF_MAX = 3;

    private static final VarHandle HINT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] hints;
    private final int shift;

    /** @param frameCount number of pages that the pool can hold */
    LeafHints(int frameCount) {
        long wanted = Math.clamp((long) frameCount * HINTS_PER_FRAME, HINTS_MIN, HINTS_MAX);
        int bits = Long.SIZE - Long.numberOfLeadingZeros(wanted - 1);
        hints = new long[1 << bits];
        shift = Long.SIZE - (bits - LINE_SHIFT);
    }

    /** The place of the hint for a key. Groups that follow each other lie in one cache line. */
    int indexOf(int treeId, byte[] key, int keyBytes) {
        long group;
        long others = (long) treeId << Integer.SIZE | keyBytes;
        if (keyBytes > Long.BYTES) {
            group = KeyBytes.bigEndianLong(key, keyBytes - Long.BYTES) >>> GROUP_SHIFT;
            others ^= KeyBytes.bigEndianLong(key, 0) * HASH_FACTOR;
        } else {
            group = KeyBytes.head(key, 0, keyBytes) >>> (Long.SIZE - Byte.SIZE * Math.max(1, keyBytes));
            group = keyBytes > EXACT_BYTES_MAX ? group >>> GROUP_SHIFT : group;
        }
        long hash = (group >>> LINE_SHIFT ^ others) * HASH_FACTOR;
        hash = (hash ^ hash >>> Integer.SIZE) * HASH_FACTOR;
        return (int) (hash >>> shift) << LINE_SHIFT | ((int) group & LINE_MASK);
    }

    /** The place of the hint for putting a key. */
    int indexOfPut(int treeId, byte[] key, int keyBytes) {
        long hash = treeId ^ PUT_SALT;
        int end = keyBytes - TAIL_BYTES;
        int at = 0;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            hash = (hash ^ KeyBytes.bigEndianLong(key, at)) * HASH_FACTOR;
            hash ^= hash >>> Integer.SIZE;
        }
        if (at < end) {
            hash = (hash ^ KeyBytes.head(key, at, end)) * HASH_FACTOR;
            hash ^= hash >>> Integer.SIZE;
        }
        return (int) ((hash * HASH_FACTOR) >>> (shift - LINE_SHIFT));
    }

    /** The hint at a place, or {@link #NONE}. */
    long hintOpaque(int index) {
        return (long) HINT.getOpaque(hints, index);
    }

    /** The frame of a hint, which is not {@link #NONE}. */
    static int frame(long hint) {
        return (int) hint - 1;
    }

    /** Whether a hint for putting keys was right often enough. */
    static boolean isWorthFollowing(long hint) {
        return hint >> Integer.SIZE >= RIGHT_TO_FOLLOW;
    }

    /** Where a hint expects a key in its leaf: a number that may be no slot. */
    static int slot(long hint, byte[] key, int keyBytes) {
        return (int) (hint >> Integer.SIZE) + distance(key, keyBytes);
    }

    /** How far the slot of a key is from that of the first of its group, if all keys between them are there. */
    private static int distance(byte[] key, int keyBytes) {
        return keyBytes > EXACT_BYTES_MAX ? key[keyBytes - 1] & GROUP_MASK : 0;
    }

    /** Notes where a key was found. Writes only what is new, so that readers on other processors keep the line. */
    void remember(int index, int frame, int slot, byte[] key, int keyBytes) {
        int first = slot - distance(key, keyBytes);
        long known = hintOpaque(index);
        if (known == NONE || frame(known) != frame || Math.abs((int) (known >> Integer.SIZE) - first) > SLOTS_OFF_MAX) {
            setHintOpaque(index, first, frame);
        }
    }

    /** Notes where a key was put, likewise. */
    void rememberPut(int index, int frame) {
        long known = hintOpaque(index);
        boolean right = known != NONE && frame(known) == frame;
        long rightBefore = Math.clamp(known >> Integer.SIZE, 0, RIGHT_MAX);
        int rightNow = (int) (right ? Math.min(RIGHT_MAX, rightBefore + 1) : Math.max(0, rightBefore - 1));
        if (!right || rightNow != rightBefore) {
            setHintOpaque(index, rightNow, frame);
        }
    }

    private void setHintOpaque(int index, int number, int frame) {
        HINT.setOpaque(hints, index, (long) number << Integer.SIZE | (frame + 1));
    }
}
