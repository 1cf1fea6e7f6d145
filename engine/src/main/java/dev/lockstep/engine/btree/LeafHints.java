package dev.lockstep.engine.btree;

import dev.lockstep.engine.page.PageLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * In which frame, and at which slot, keys were found last: a shortcut past the root, the inner nodes and the pool's
 * translation of pages, and past the search in the leaf.
 *
 * <p>A hint is a guess. Whoever follows one checks that the frame holds a page, that this is a leaf of the tree and
 * that the named slot holds the key or, where it does not, the leaf's fences do ({@link Node#slotWordOfKey}, {@link
 * Node#coversAt}), under the version of the frame's latch; otherwise it descends from the root, and what it finds there
 * replaces the hint. So hints need no invalidation, and splits, merges, drops and evictions know nothing of them.
 *
 * <p>Keys that differ in the low bits of their last byte alone are a group and share a hint, since they are neighbours
 * wherever keys are numbers; keys that are random bytes have a hint each, as far as there is room. Where numbers are
 * dense, the slot of one tells that of the others. How many keys are a group is a matter of the tree ({@link
 * #groupShift}): as many as its leaves have as a rule, so that hardly any group lies in more than two. Where one does,
 * by texts of many bytes a character or in leaves that have lost rows, keys of the leaves between have to descend.
 *
 * <p>Of TPC-C's fetches and scans 94 in 100 are served by a hint. It costs a cache line, or two where the leaf has a
 * prefix, which lies with its fences; it saves the four or so of the root and of each inner node, entries of the
 * translation array, two searches, and, with a slot, four to six lines of the leaf's slots.
 *
 * <p>New keys have no such hint: nobody has found them before. But many are put behind or beside those that were put
 * there last: in order, or for the same customer. So all keys that agree but for their last bytes share a hint of
 * another kind, which tells where one of them was put last, and how often that was right; it is followed at first, and
 * then only while it mostly is (a saturating counter, as processors predict branches). In the leaf the search for the
 * next begins behind the slot of the last, where it belongs if they are put in order: a search that begins anywhere
 * else reads a line of slots for each key that it compares, and its branches are guessed wrong every other time.
 *
 * <pre>
 *   a hint:   | slot of the key with low bits 0, i12 | keys, u7                     | tag u16 | frame + 1, u29 |
 *   for puts: | slot of the last one put, i12        | how often right, 0 to 3, u7  | tag u16 | frame + 1, u29 |
 *   none: 0
 *               high 19 bits                                                low 29 bits
 *   a place:  | low bits that a group's keys differ in, i19     | tag u16 | index, u29     | the first looked at
 * </pre>
 *
 * <p>A group whose keys lie in two leaves has two hints: that of the lower leaf says how many of the group's keys, from
 * the first on, that leaf has, and that of the upper one, at the next place, has a slot below 0 for the group's first
 * key. Of wide rows, some 25 to a leaf, that is every second group. While such a group had one hint, each of its
 * leaves' keys overwrote what those of the other had left, and in a batch of ten of them one or two had to descend.
 *
 * <p>What is read for a key beside its hint is the cache line that this lies in, and a table that is larger than the
 * caches is read from memory line by line. So a line holds what belongs together: the hints of four groups that follow
 * each other, two for each, or those by which neighbours' new keys are put. With a million rows, 25 to a leaf, hints
 * take 1 MB so; in groups of eight, with the upper leaf's in a line of another's, they took 2 MB, and two lines were
 * read for each key.
 *
 * <p>Keys share places. The tag is a part of the key's hash: a hint with another's is as good as none, and costs no
 * visit of a wrong leaf. Whose place is taken has all others of its line, and those of three lines beside, and only
 * where all are taken is a hint overwritten. While it had but one other in its line, one in seven of TPC-C's hints to
 * stock lay behind the first line, which had free places, and each of those was a wait of its own: no line but the
 * first is on the way when it is looked for. Who had no hint at all read four lines to find that out. In a batch or a
 * team those that have no hint come after all others, one wait behind the other; with two places each they took a
 * quarter of the time in which teams of ten fetch from ten million rows.
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
     * Eight keys are a group at least: of rows of half a page a leaf has no more, and groups of fewer fill the table.
     */
    static final int GROUP_SHIFT_MIN = 3;

    /** Sixty-four at most: their hints fill so little that more would not be noticed. */
    static final int GROUP_SHIFT_MAX = 6;

    /** A leaf is this full at least, for the most part: two leaves that a split leaves behind fill up again. */
    private static final double LEAF_FILL = 2.0 / 3;

    /** Ranges of keys up to this length are not grouped: there are few, such as a district's of a warehouse. */
    private static final int EXACT_BYTES_MAX = 4;

    /**
     * Hints for each frame of the pool, three quarters of a percent of it: a leaf of narrow rows has some ten groups,
     * of wide ones three.
     */
    private static final int HINTS_PER_FRAME = 8;

    private static final int HINTS_MIN = 1 << 10;

    /** 32 MiB of heap at most. */
    private static final int HINTS_MAX = 1 << 22;

    /** 2^64 divided by the golden ratio: multiplicative hashing, Knuth, The Art of Computer Programming 3, 6.4. */
    private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

    /** Eight hints to a cache line. */
    private static final int LINE_SHIFT = 3;

    /** Four groups to a cache line, with two hints each. */
    private static final int GROUPS_SHIFT = LINE_SHIFT - 1;

    private static final int GROUPS_MASK = (1 << GROUPS_SHIFT) - 1;

    /**
     * Places of a hint: all of its cache line, of the line that processors fetch with it, and of the pair beside.
     * Looked at in an order that goes by the first one, as far as to one that is free, since none becomes free again:
     * so who has no hint, or has it, reads a second line only where the first is full.
     */
    private static final int CHOICES = 32;

    private static final int LINE_MASK = (1 << LINE_SHIFT) - 1;

    /** Bytes at the end of a key without which it names a place to put keys: a number, or the two lowest columns. */
    private static final int TAIL_BYTES = 4;

    /** Makes the places of the two kinds differ. */
    private static final long PUT_SALT = 0x5851F42D4C957F2DL;

    private static final int RIGHT_MAX = 3;

    /** A pool of up to 4 TiB; frames behind have no hints. */
    private static final int FRAME_BITS = 29;

    private static final int FRAME_MASK = (1 << FRAME_BITS) - 1;

    private static final int NUMBER_SHIFT = FRAME_BITS + Short.SIZE;

    /** In a hint, beside the slot: how many of the group's keys its leaf has; of puts, how often it was right. */
    private static final int KEYS_BITS = 7;

    private static final int KEYS_MASK = (1 << KEYS_BITS) - 1;

    private static final int KEYS_SHIFT = NUMBER_SHIFT;

    private static final int SLOT_SHIFT = NUMBER_SHIFT + KEYS_BITS;

    /** The tag, in hints and in places. */
    private static final long TAG_MASK = 0xFFFFL << FRAME_BITS;

    /** What of the tag is of the hash; the rest is the number in the line. */
    private static final long TAG_HASH_MASK = TAG_MASK & (-1L << (FRAME_BITS + LINE_SHIFT));

    /** Bits 19 to 31 of the hash become the tag: the index is made of higher ones. */
    private static final int TAG_SHIFT = FRAME_BITS - Short.SIZE;

    /**
     * A wrong hint costs a visit of a leaf, a right one saves two: so it has to be right more often than not. One that
     * is new is followed, since nearly all kinds of keys for which there will be a second put are put in order.
     */
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

    /**
     * How many low bits the keys of a group differ in, in a tree with rows of a size: as many keys as a leaf that is
     * two thirds full has at least, if texts have one byte a character.
     *
     * @param rowBytes of a row with its key, or 0 if nothing is known
     * @return {@link #GROUP_SHIFT_MIN} to {@link #GROUP_SHIFT_MAX}
     */
    static int groupShift(int rowBytes) {
        if (rowBytes <= 0) {
            return GROUP_SHIFT_MIN;
        }
        int rows = (int) (LEAF_FILL * PageLayout.PAGE_BYTES / (NodeLayout.SLOT_BYTES + rowBytes));
        int shift = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(Math.max(1, rows));
        return Math.clamp(shift, GROUP_SHIFT_MIN, GROUP_SHIFT_MAX);
    }

    /**
     * The place of the hint for a key. Groups that follow each other lie in one cache line.
     *
     * @param groupShift how many low bits the keys of records differ in that share a hint; those of ranges, of which a
     *     leaf has fewer, differ in {@link #GROUP_SHIFT_MIN}
     * @param wholeKey whether it is the key of a record, not that of a range
     */
    long placeOf(int treeId, int groupShift, byte[] key, int keyBytes, boolean wholeKey) {
        boolean grouped = keyBytes > EXACT_BYTES_MAX || (wholeKey && keyBytes > 0);
        int bits = grouped ? wholeKey ? groupShift : GROUP_SHIFT_MIN : 0;
        long group;
        long others = (long) treeId << Integer.SIZE | keyBytes;
        if (keyBytes > Long.BYTES) {
            group = KeyBytes.bigEndianLong(key, keyBytes - Long.BYTES) >>> bits;
            others ^= KeyBytes.bigEndianLong(key, 0) * HASH_FACTOR;
        } else {
            group = number(key, keyBytes) >>> bits;
        }
        long hash = (group >>> GROUPS_SHIFT ^ others) * HASH_FACTOR;
        hash = (hash ^ hash >>> Integer.SIZE) * HASH_FACTOR;
        return (long) bits << NUMBER_SHIFT | place(hash, (group & GROUPS_MASK) << 1);
    }

    /** The number that the bytes of a key of at most eight are, big-endian. */
    private static long number(byte[] key, int keyBytes) {
        if (keyBytes == 0) {
            return 0;
        }
        int others = Long.SIZE - Byte.SIZE * keyBytes;
        return (key.length >= Long.BYTES ? KeyBytes.bigEndianLong(key, 0) : KeyBytes.head(key, 0, keyBytes)) >>> others;
    }

    /** The place of the hint for putting a key. Those of neighbours lie in one cache line. */
    long placeOfPut(int treeId, byte[] key, int keyBytes) {
        long hash = treeId ^ PUT_SALT;
        int last = keyBytes - TAIL_BYTES - 1;
        int at = 0;
        for (; at + Long.BYTES <= last; at += Long.BYTES) {
            hash = (hash ^ KeyBytes.bigEndianLong(key, at)) * HASH_FACTOR;
            hash ^= hash >>> Integer.SIZE;
        }
        if (at < last) {
            hash = (hash ^ KeyBytes.head(key, at, last)) * HASH_FACTOR;
            hash ^= hash >>> Integer.SIZE;
        }
        long neighbour = last >= 0 ? key[last] : 0;
        hash = (hash ^ neighbour >> LINE_SHIFT) * HASH_FACTOR;
        hash ^= hash >>> Integer.SIZE;
        hash *= HASH_FACTOR;
        return place(hash, neighbour & LINE_MASK);
    }

    /**
     * A place of one of those that share a line.
     *
     * @param hash of what they share
     * @param number in the line, 0 to {@link #LINE_MASK}; a part of the tag too, since a hint may lie at any of its
     *     line
     */
    private long place(long hash, long number) {
        long tag = ((hash << TAG_SHIFT) & TAG_HASH_MASK) | number << FRAME_BITS;
        return tag | (hash >>> shift) << LINE_SHIFT | number;
    }

    /**
     * The hint for a key, or {@link #NONE}.
     *
     * @param place of the key
     */
    long hintOpaque(long place, byte[] key, int keyBytes) {
        long lower = hintOpaque(place);
        int distance = distance(place, key, keyBytes);
        if ((lower != NONE && distance < keys(lower)) || groupBits(place) == 0) {
            return lower;
        }
        long upper = hintOpaque(ofUpperLeaf(place));
        // Of the lower leaf all the same, where nothing else is known: it may have got the key since.
        return upper != NONE && firstSlot(upper) + distance >= 0 ? upper : lower;
    }

    /** The place for those keys of a group that lie in another leaf than the first of it. */
    private static long ofUpperLeaf(long place) {
        return place + (1L << FRAME_BITS | 1);
    }

    /** How many low bits the keys that share a hint differ in; 0 where the key has it for itself. */
    private static int groupBits(long place) {
        return (int) (place >>> NUMBER_SHIFT);
    }

    /**
     * Whether {@link #remember} would have nothing to write of a hint, if the key is found where that has named it.
     *
     * @param slot where the hint expects the key
     * @param slotCount of the leaf that it names
     */
    static boolean isRight(long hint, long place, int slot, int slotCount, byte[] key, int keyBytes) {
        return keys(hint) == keysFrom(slot - distance(place, key, keyBytes), place, slotCount);
    }

    /** How many keys of a group lie in a leaf where the first of them has a slot, or would have. */
    private static int keysFrom(int first, long place, int slotCount) {
        return Math.clamp(slotCount - first, 1, 1 << groupBits(place));
    }

    private static int firstSlot(long hint) {
        return (int) (hint >> SLOT_SHIFT);
    }

    private static int keys(long hint) {
        return (int) (hint >>> KEYS_SHIFT) & KEYS_MASK;
    }

    /** The hint at a place or at one of its others, or {@link #NONE} where those are of other keys. */
    long hintOpaque(long place) {
        int index = indexOf(place);
        for (int choice = 0; choice < CHOICES; choice++) {
            long hint = atOpaque(index ^ choice);
            if (isOf(hint, place) || hint == NONE) {
                return hint;
            }
        }
        return NONE;
    }

    /** Reads what is at a place, for no other purpose than to have its cache line on the way. */
    long touch(long place) {
        return atOpaque(indexOf(place));
    }

    private long atOpaque(int index) {
        return (long) HINT.getOpaque(hints, index);
    }

    private static boolean isOf(long hint, long place) {
        return ((hint ^ place) & TAG_MASK) == 0;
    }

    /** The first of the places. */
    private static int indexOf(long place) {
        return (int) place & FRAME_MASK;
    }

    /** Where the hint of a place is or, if there is none, goes: where all places are taken by others, to the first. */
    private int indexToWrite(long place) {
        int index = indexOf(place);
        for (int choice = 0; choice < CHOICES; choice++) {
            long hint = atOpaque(index ^ choice);
            if (isOf(hint, place) || hint == NONE) {
                return index ^ choice;
            }
        }
        return index;
    }

    /** The frame of a hint, which is not {@link #NONE}. */
    static int frame(long hint) {
        return ((int) hint & FRAME_MASK) - 1;
    }

    /** Whether a hint for putting keys was right often enough. */
    static boolean isWorthFollowing(long hint) {
        return keys(hint) >= RIGHT_TO_FOLLOW;
    }

    /** Where a hint for putting keys expects one that goes behind the last: from 1 on, a number that may be no slot. */
    static int slotBehindPut(long hint) {
        return Math.max(0, firstSlot(hint)) + 1;
    }

    /** Where a hint expects a key in its leaf: a number that may be no slot. */
    static int slot(long hint, long place, byte[] key, int keyBytes) {
        return firstSlot(hint) + distance(place, key, keyBytes);
    }

    /** How far the slot of a key is from that of the first of its group, if all keys between them are there. */
    private static int distance(long place, byte[] key, int keyBytes) {
        int bits = groupBits(place);
        return bits == 0 ? 0 : key[keyBytes - 1] & (1 << bits) - 1;
    }

    /**
     * Notes where a key was found. Writes only what is new, so that readers on other processors keep the line.
     *
     * @param slot where it is, or would be
     * @param slotCount of its leaf
     */
    void remember(long place, int frame, int slot, int slotCount, byte[] key, int keyBytes) {
        int first = slot - distance(place, key, keyBytes);
        long at = first < 0 ? ofUpperLeaf(place) : place;
        int keys = keysFrom(first, place, slotCount);
        long known = hintOpaque(at);
        if (known == NONE
                || frame(known) != frame
                || keys(known) != keys
                || Math.abs(firstSlot(known) - first) > SLOTS_OFF_MAX) {
            setHintOpaque(at, first << KEYS_BITS | keys, frame);
        }
    }

    /**
     * Notes where a key is put, likewise.
     *
     * @param slot that it gets
     */
    void rememberPut(long place, int frame, int slot) {
        long known = hintOpaque(place);
        boolean right = known != NONE && frame(known) == frame;
        // As if those before it had been right: one that is new is followed.
        int rightBefore = known == NONE ? RIGHT_MAX : Math.min(keys(known), RIGHT_MAX);
        int rightNow = right ? Math.min(RIGHT_MAX, rightBefore + 1) : Math.max(0, rightBefore - 1);
        if (!right || rightNow != rightBefore || firstSlot(known) != slot) {
            setHintOpaque(place, slot << KEYS_BITS | rightNow, frame);
        }
    }

    private void setHintOpaque(long place, int number, int frame) {
        if (frame < FRAME_MASK) {
            HINT.setOpaque(
                    hints, indexToWrite(place), (long) number << NUMBER_SHIFT | (place & TAG_MASK) | (frame + 1));
        }
    }
}
