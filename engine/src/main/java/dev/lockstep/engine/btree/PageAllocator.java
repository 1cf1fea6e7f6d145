package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.scheduler.latch.LatchWatch;
import dev.lockstep.scheduler.latch.SpinLatch;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Which pages of the data file are in use. Thread-safe.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Bit p of {@code words} is set when page p is the file header, reachable from a root of the catalog, or held by
 *       a change that makes it reachable or has made it unreachable; and of no other page, unless {@code superset} or
 *       {@code pagesLost}, which stays true.
 *   <li>{@code superset} is true from {@link #loadSuperset} to {@link #settle}. Meanwhile {@code touched} has every
 *       page that was allocated, or {@linkplain #leaves announced} to be given back, and {@code departed} the first
 *       page of every overflow chain that a record has let go of. Pages behind the end of both were never in the bitmap
 *       that was loaded.
 *   <li>No page below {@code firstCandidateWord * 64} is free.
 *   <li>No page from {@code cutPageCount} on has been in use since {@link #beginCut} was last called.
 *   <li>The bitmap is derived data. It is saved by a checkpoint, exact after a clean close only, and otherwise
 *       completed from the log and then compared with what the roots reach, so that neither allocations nor frees need
 *       log records.
 * </ul>
 */
public final class PageAllocator {
    private static final int WORDS_INITIAL = 1 << 10;
    private static final long[] NONE = {};

    private final SpinLatch latch;
    private final IntConsumer beforeFree;
    private long[] words = new long[WORDS_INITIAL];
    private int firstCandidateWord;
    private int allocatedCount;
    private int cutPageCount;
    private volatile boolean superset;
    private volatile boolean pagesLost;
    private long[] touched = NONE;
    private long[] departed = NONE;

    /** Nothing is allocated. */
    public PageAllocator() {
        this(LatchWatch.NONE);
    }

    /**
     * Nothing is allocated.
     *
     * @param watch throws once a holder of the latch may have been cut short
     */
    public PageAllocator(LatchWatch watch) {
        this(watch, pageId -> {});
    }

    /**
     * The same.
     *
     * @param beforeFree told each page before it is given back, when nothing leads to it any more, by the thread that
     *     gives it back; for tests that look at that moment
     */
    public PageAllocator(LatchWatch watch, IntConsumer beforeFree) {
        latch = new SpinLatch(watch);
        this.beforeFree = beforeFree;
    }

    /** Pages that nothing leads to could not be given back: the next open has to look for them. */
    public void pagesAreLost() {
        pagesLost = true;
    }

    /** Whether pages may be in use that nothing leads to and that nobody looks for now. */
    public boolean hasLostPages() {
        return pagesLost;
    }

    /** Takes the lowest free page. */
    public int allocate() {
        latch.latch();
        try {
            int at = firstCandidateWord;
            while (at < words.length && words[at] == -1L) {
                at++;
            }
            if (at == words.length) {
                words = Arrays.copyOf(words, words.length * 2);
            }
            firstCandidateWord = at;
            int bit = Long.numberOfTrailingZeros(~words[at]);
            words[at] |= 1L << bit;
            allocatedCount++;
            mark(touched, at, 1L << bit);
            int pageId = (at << 6) + bit;
            cutPageCount = Math.max(cutPageCount, pageId + 1);
            return pageId;
        } finally {
            latch.unlatch();
        }
    }

    /** Takes the lowest free page if it is below {@code bound}; else takes none and returns -1. */
    public int allocateBelow(int bound) {
        latch.latch();
        try {
            int at = firstCandidateWord;
            int wordCount = Math.min(words.length, (bound >>> 6) + 1);
            while (at < wordCount && words[at] == -1L) {
                at++;
            }
            int pageId = at < wordCount ? (at << 6) + Long.numberOfTrailingZeros(~words[at]) : bound;
            if (pageId >= bound) {
                return -1;
            }
            firstCandidateWord = at;
            words[at] |= 1L << pageId;
            allocatedCount++;
            mark(touched, at, 1L << pageId);
            return pageId;
        } finally {
            latch.unlatch();
        }
    }

    /** Whether a page is in use that would lie behind the end of the file if all lay as low as they can. */
    public boolean hasPagesToMove() {
        latch.latch();
        try {
            return usedPageCount() > allocatedCount;
        } finally {
            latch.unlatch();
        }
    }

    /** One more than the highest page in use, 0 if none is; the caller holds the latch. */
    private int usedPageCount() {
        int at = words.length;
        while (at > 0 && words[at - 1] == 0) {
            at--;
        }
        return at == 0 ? 0 : (at << 6) - Long.numberOfLeadingZeros(words[at - 1]);
    }

    /** Begins to note up to where pages are in use: those behind, {@link #cutPageCount} says, can be cut off. */
    public void beginCut() {
        latch.latch();
        try {
            cutPageCount = usedPageCount();
        } finally {
            latch.unlatch();
        }
    }

    /** Pages of a file that holds all that have been in use since {@link #beginCut}, page 0 included. */
    public int cutPageCount() {
        latch.latch();
        try {
            return cutPageCount;
        } finally {
            latch.unlatch();
        }
    }

    /** Marks a page as used; false where it was already. */
    public boolean markAllocated(int pageId) {
        latch.latch();
        try {
            int at = pageId >>> 6;
            if (at >= words.length) {
                words = Arrays.copyOf(words, Math.max(words.length * 2, at + 1));
            }
            long bit = 1L << pageId;
            if ((words[at] & bit) != 0) {
                return false;
            }
            words[at] |= bit;
            allocatedCount++;
            return true;
        } finally {
            latch.unlatch();
        }
    }

    /** Gives a page back. */
    public void free(int pageId) {
        beforeFree.accept(pageId);
        latch.latch();
        try {
            int at = pageId >>> 6;
            long bit = 1L << pageId;
            if (at >= words.length || (words[at] & bit) == 0) {
                throw new CorruptionException(Message.of("a page was freed that is not allocated")
                        .with("pageId", pageId)
                        .remedy("close the database, reopen it and run validate()"));
            }
            words[at] &= ~bit;
            allocatedCount--;
            firstCandidateWord = Math.min(firstCandidateWord, at);
        } finally {
            latch.unlatch();
        }
    }

    public boolean isAllocated(int pageId) {
        latch.latch();
        try {
            int at = pageId >>> 6;
            return at < words.length && (words[at] & 1L << pageId) != 0;
        } finally {
            latch.unlatch();
        }
    }

    /** Number of pages in use. */
    public int allocatedCount() {
        latch.latch();
        try {
            return allocatedCount;
        } finally {
            latch.unlatch();
        }
    }

    /** A copy of the bitmap, bit p of word p / 64 for page p. */
    public long[] bitmap() {
        latch.latch();
        try {
            return words.clone();
        } finally {
            latch.unlatch();
        }
    }

    /** Replaces the bitmap. */
    public void load(long[] bitmap) {
        latch.latch();
        try {
            replace(bitmap);
        } finally {
            latch.unlatch();
        }
    }

    /**
     * Replaces the bitmap by one that may have pages too many, and begins to note what happens to its pages, until
     * {@link #settle}.
     */
    public void loadSuperset(long[] bitmap) {
        latch.latch();
        try {
            replace(bitmap);
            touched = new long[bitmap.length];
            departed = new long[bitmap.length];
            superset = true;
        } finally {
            latch.unlatch();
        }
    }

    private void replace(long[] bitmap) {
        int count = 0;
        for (long word : bitmap) {
            count += Long.bitCount(word);
        }
        words = Arrays.copyOf(bitmap, Math.max(bitmap.length, WORDS_INITIAL));
        allocatedCount = count;
        firstCandidateWord = 0;
    }

    private static void mark(long[] pages, int at, long bit) {
        if (at < pages.length) {
            pages[at] |= bit;
        }
    }

    /** Whether the bitmap may have pages that nothing reaches and nobody holds. */
    public boolean isSuperset() {
        return superset;
    }

    /**
     * A page is about to become unreachable, and will be given back by the caller. To be called before nothing leads to
     * it any more: whoever compares the bitmap with what is reached would else take it for a page that nobody holds.
     */
    public void leaves(int pageId) {
        if (superset) {
            latch.latch();
            try {
                mark(touched, pageId >>> 6, 1L << pageId);
            } finally {
                latch.unlatch();
            }
        }
    }

    /**
     * A record is about to let go of its overflow chain, until a rollback or for good. To be called under the exclusive
     * latch of the record's leaf.
     */
    void chainDeparts(int firstPageId) {
        if (superset) {
            latch.latch();
            try {
                mark(departed, firstPageId >>> 6, 1L << firstPageId);
            } finally {
                latch.unlatch();
            }
        }
    }

    /** The first pages of chains that records have let go of since {@link #loadSuperset}; see {@link #bitmap}. */
    public long[] departedChains() {
        latch.latch();
        try {
            return departed.clone();
        } finally {
            latch.unlatch();
        }
    }

    /**
     * Gives back every page that was in the bitmap of {@link #loadSuperset}, to which nothing has happened since, and
     * that was not reached. From here on the bitmap is exact.
     *
     * @param reached see {@link #bitmap}; has every page that is in use and to which nothing has happened
     * @return how many pages were given back
     */
    public int settle(long[] reached) {
        latch.latch();
        try {
            int lost = 0;
            for (int at = 0; at < touched.length; at++) {
                long lostHere = words[at] & ~touched[at] & ~(at < reached.length ? reached[at] : 0);
                words[at] &= ~lostHere;
                lost += Long.bitCount(lostHere);
            }
            allocatedCount -= lost;
            firstCandidateWord = 0;
            touched = NONE;
            departed = NONE;
            superset = false;
            return lost;
        } finally {
            latch.unlatch();
        }
    }
}
