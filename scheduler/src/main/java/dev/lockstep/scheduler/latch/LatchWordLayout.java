package dev.lockstep.scheduler.latch;

/**
 * Layout of a latch's word in {@link LatchTable}, and of the array of these words.
 *
 * <pre>
 *  63                                         16 15              2   1   0
 * +---------------------------------------------+-----------------+---+---+
 * | version                                      | shared holders  | W | X |
 * +---------------------------------------------+-----------------+---+---+
 *  X  held exclusively
 *  W  somebody waits to hold it exclusively: no new shared holder is admitted
 *
 *  array, in longs:  | 15 unused | word 0 | 5 companions | 10 unused | word 1 | 5 companions | ... | 10 unused |
 * </pre>
 *
 * The version is what optimistic readers compare. It wraps after 2^48 exclusive holds, more than a month of one
 * release every 10 ns, and a reader would have to be suspended for exactly that long to be misled.
 */
final class LatchWordLayout {
    static final long EXCLUSIVE = 1L;
    static final long EXCLUSIVE_WANTED = 1L << 1;
    static final int SHARED_SHIFT = 2;
    static final int SHARED_BITS = 14;
    static final long SHARED_ONE = 1L << SHARED_SHIFT;
    static final long SHARED_MASK = ((1L << SHARED_BITS) - 1) << SHARED_SHIFT;
    static final int VERSION_SHIFT = SHARED_SHIFT + SHARED_BITS;
    static final long VERSION_ONE = 1L << VERSION_SHIFT;
    static final long HOLDERS_MASK = EXCLUSIVE | SHARED_MASK;

    /**
     * Longs from one word to the next: 128 bytes. Two words that far apart never lie in the same aligned pair of
     * 64-byte lines, and current x86 processors prefetch lines in such pairs; other processors have 128-byte lines.
     */
    static final int STRIDE_LONGS = 16;

    /** Words of the latch's owner behind each word: as many as with it fill three quarters of a cache line. */
    static final int COMPANIONS = 5;

    /** Longs in front of word 0, which keep it away from the array's header and from the object before. */
    static final int LEAD_LONGS = STRIDE_LONGS - 1;

    static final int LATCHES_MAX = (Integer.MAX_VALUE - 64) / STRIDE_LONGS - 1;

    static {
        if (VERSION_SHIFT != 16
                || (EXCLUSIVE | EXCLUSIVE_WANTED | SHARED_MASK) != VERSION_ONE - 1
                || STRIDE_LONGS * Long.BYTES != 128) {
            throw new AssertionError(
                    "latch word layout: the fields do not fill 64 bits or the stride is not 128 bytes");
        }
    }

    private LatchWordLayout() {}

    static int arrayLongs(int latchCount) {
        return LEAD_LONGS + latchCount * STRIDE_LONGS;
    }

    static int wordIndex(int latch) {
        return LEAD_LONGS + latch * STRIDE_LONGS;
    }

    static int companionIndex(int latch, int companion) {
        return wordIndex(latch) + 1 + companion;
    }

    static long version(long word) {
        return word >>> VERSION_SHIFT;
    }

    static int sharedCount(long word) {
        return (int) ((word & SHARED_MASK) >>> SHARED_SHIFT);
    }
}
