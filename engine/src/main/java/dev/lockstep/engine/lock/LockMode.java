package dev.lockstep.engine.lock;

/**
 * Lock modes as small integers, their compatibility and their suprema.
 *
 * <p>A mode has two parts that do not conflict with each other: the key part (bits 0 to 2), which is also the whole
 * mode of a table lock, and the gap part (bits 3 and 4), which only key locks have and which covers the open interval
 * between the key and its predecessor in the index.
 *
 * <pre>
 *   bit     4   3 | 2   1   0
 *         gap part|  key part
 * </pre>
 *
 * <p>The key part is one of the granularity modes of Gray, Lorie, Putzolu and Traiger (1976) with the update mode of
 * Gray and Reuter (Transaction Processing, 1993, 7.8). U is compatible with S in both directions: the queue of a lock
 * is fair, so readers that arrive after a waiting conversion from U to X wait behind it and cannot starve it. The
 * separate gap part is the orthogonal key-value locking of Graefe (A Survey of B-Tree Locking Techniques, 2010, and
 * later): GAP_S keeps new keys out of the gap, GAP_IX (insert intention) is what an insert asks for, and GAP_X is for
 * whoever removes the key and thereby changes the borders of the gap.
 *
 * <pre>
 *   compatible     IS  IX  S   SIX U   X          GAP_S GAP_IX GAP_X
 *            IS    yes yes yes yes yes -   GAP_S  yes   -      -
 *            IX    yes yes -   -   -   -   GAP_IX -     yes    -
 *            S     yes -   yes -   yes -   GAP_X  -     -      -
 *            SIX   yes -   -   -   -   -
 *            U     yes -   yes -   -   -
 *            X     -   -   -   -   -   -
 * </pre>
 *
 * <p>Inside this package a set of modes is a set of parts: bit {@code k - 1} for key part {@code k}, bit
 * {@code 5 + g} for gap part {@code g}. Two modes conflict when the parts of one are among the conflicts of the other.
 */
public final class LockMode {
    /** No lock. */
    public static final int NONE = 0;
    /** Intention to read below: what a reader of keys takes on the table. */
    public static final int IS = 1;
    /** Intention to write below: what a writer of keys takes on the table. */
    public static final int IX = 2;
    /** Read. */
    public static final int S = 3;
    /** Read all, with the intention to write some below. */
    public static final int SIX = 4;
    /** Read, with the sole right to convert to X later. */
    public static final int U = 5;
    /** Write. */
    public static final int X = 6;

    /** The gap before the key is read: nothing may be inserted into it. */
    public static final int GAP_S = 1 << 3;
    /** Insert intention: something is inserted into the gap before the key. */
    public static final int GAP_IX = 2 << 3;
    /** The gap before the key changes its borders, because the key is removed for good. */
    public static final int GAP_X = 3 << 3;

    /** A key is read. */
    public static final int KEY_S = S;
    /** A key is read in order to be written later. */
    public static final int KEY_U = U;
    /** A key is written. */
    public static final int KEY_X = X;
    /** A serializable scan passes over the key. */
    public static final int KEY_S_GAP_S = S | GAP_S;
    /** A serializable scan passes over the key and will write it. */
    public static final int KEY_U_GAP_S = U | GAP_S;
    /** A ghost record is removed for good. */
    public static final int KEY_X_GAP_X = X | GAP_X;

    /** Number of different parts, and so of bits in a set of parts. */
    static final int PARTS = 9;

    private static final int KEY_MASK = 7;
    /** Bit {@code m} says whether {@code m} is a valid mode: not 0, and no key part 7. */
    private static final int VALID = 0x7f7f7f7e;

    private static final int GAP_SHIFT = 3;
    private static final int MODE_MASK = 31;
    private static final int FIRST_GAP_PART = 6;
    private static final int KEY_PARTS = (1 << FIRST_GAP_PART) - 1;
    private static final int GAP_PARTS = (1 << PARTS) - 1 - KEY_PARTS;

    private static final int[] PARTS_OF_MODE = new int[MODE_MASK + 1];
    private static final int[] CONFLICTS_OF_MODE = new int[MODE_MASK + 1];
    private static final int[] CONFLICTS_OF_SET = new int[1 << PARTS];

    private static final int[][] KEY_SUPREMUM = {
        {NONE, IS, IX, S, SIX, U, X},
        {IS, IS, IX, S, SIX, U, X},
        {IX, IX, IX, SIX, SIX, X, X},
        {S, S, SIX, S, SIX, U, X},
        {SIX, SIX, SIX, SIX, SIX, X, X},
        {U, U, X, U, X, U, X},
        {X, X, X, X, X, X, X},
    };
    private static final int[][] GAP_SUPREMUM = {
        {NONE, GAP_S, GAP_IX, GAP_X},
        {GAP_S, GAP_S, GAP_X, GAP_X},
        {GAP_IX, GAP_X, GAP_IX, GAP_X},
        {GAP_X, GAP_X, GAP_X, GAP_X},
    };
    /** One byte per pair of modes; 1 KiB, so that a conversion costs one load. */
    private static final byte[] SUPREMUM = new byte[(MODE_MASK + 1) * (MODE_MASK + 1)];

    private static final String[] KEY_NAMES = {"", "IS", "IX", "S", "SIX", "U", "X"};
    private static final String[] GAP_NAMES = {"", "GAP_S", "GAP_IX", "GAP_X"};

    static {
        int s = set(S);
        int ix = set(IX);
        int six = set(SIX);
        int u = set(U);
        int x = set(X);
        int gapS = set(GAP_S);
        int gapIx = set(GAP_IX);
        int gapX = set(GAP_X);
        int[] conflictsOfPart = {
            x, // IS
            s + six + u + x, // IX
            ix + six + x, // S
            ix + s + six + u + x, // SIX
            ix + six + u + x, // U
            KEY_PARTS, // X
            gapIx + gapX, // GAP_S
            gapS + gapX, // GAP_IX
            GAP_PARTS, // GAP_X
        };
        for (int parts = 1; parts < CONFLICTS_OF_SET.length; parts++) {
            int lowest = Integer.numberOfTrailingZeros(parts);
            CONFLICTS_OF_SET[parts] = CONFLICTS_OF_SET[parts & parts - 1] | conflictsOfPart[lowest];
        }
        for (int mode = 1; mode <= MODE_MASK; mode++) {
            if (isValid(mode)) {
                PARTS_OF_MODE[mode] = set(mode);
                CONFLICTS_OF_MODE[mode] = CONFLICTS_OF_SET[set(mode)];
            }
        }
        for (int one = 0; one <= MODE_MASK; one++) {
            for (int other = 0; other <= MODE_MASK; other++) {
                if ((one == NONE || isValid(one)) && (other == NONE || isValid(other))) {
                    SUPREMUM[one << 5 | other] = (byte) (KEY_SUPREMUM[one & KEY_MASK][other & KEY_MASK]
                            | GAP_SUPREMUM[one >> GAP_SHIFT][other >> GAP_SHIFT]);
                }
            }
        }
    }

    private LockMode() {}

    private static int set(int mode) {
        int key = mode & KEY_MASK;
        int gap = mode >> GAP_SHIFT;
        return (key == 0 ? 0 : 1 << (key - 1)) | (gap == 0 ? 0 : 1 << (FIRST_GAP_PART - 1 + gap));
    }

    /** Returns whether a lock can be requested in this mode: one of the combinations above, not {@link #NONE}. */
    public static boolean isValid(int mode) {
        return (mode & ~MODE_MASK) == 0 && (VALID >>> mode & 1) != 0;
    }

    /** Returns whether two owners can hold one lock in these modes at the same time. */
    public static boolean isCompatible(int one, int other) {
        return (conflictsOf(one) & partsOf(other)) == 0;
    }

    /** Returns the least mode that permits all that either of the two modes permits. */
    public static int supremum(int one, int other) {
        return SUPREMUM[(one & MODE_MASK) << 5 | (other & MODE_MASK)];
    }

    /** Returns whether the holder of {@code held} needs nothing more in order to do what {@code wanted} permits. */
    public static boolean covers(int held, int wanted) {
        return supremum(held, wanted) == held;
    }

    /** Returns whether something may be changed under this mode, here or below: IX, SIX, X, GAP_IX and GAP_X. */
    public static boolean permitsWriting(int mode) {
        int key = mode & KEY_MASK;
        return key == IX || key == SIX || key == X || mode >> GAP_SHIFT >= GAP_IX >> GAP_SHIFT;
    }

    /** Returns the part of the mode that concerns the key itself. */
    public static int keyPart(int mode) {
        return mode & KEY_MASK;
    }

    /** Returns the part of the mode that concerns the gap before the key, shifted as in {@link #GAP_S}. */
    public static int gapPart(int mode) {
        return mode & ~KEY_MASK;
    }

    /** Returns the name of a mode, for messages: {@code S+GAP_S}. */
    public static String toString(int mode) {
        if (mode == NONE) {
            return "NONE";
        }
        if (!isValid(mode)) {
            return "invalid(" + mode + ")";
        }
        String key = KEY_NAMES[mode & KEY_MASK];
        String gap = GAP_NAMES[mode >> GAP_SHIFT];
        return key.isEmpty() ? gap : gap.isEmpty() ? key : key + "+" + gap;
    }

    /** The set of the parts of a mode. */
    static int partsOf(int mode) {
        return PARTS_OF_MODE[mode & MODE_MASK];
    }

    /** The set of the parts that conflict with a mode. */
    static int conflictsOf(int mode) {
        return CONFLICTS_OF_MODE[mode & MODE_MASK];
    }

    /** The set of the parts that conflict with at least one part of a set. */
    static int conflictsOfSet(int parts) {
        return CONFLICTS_OF_SET[parts];
    }
}
