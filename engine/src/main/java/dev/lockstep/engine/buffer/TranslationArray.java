package dev.lockstep.engine.buffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Where each page is: an array indexed by page id, in two levels, so that finding a resident page takes two dependent
 * loads and no hashing, comparing or locking (Leis et al., Virtual-Memory Assisted Buffer Management, SIGMOD 2023,
 * discusses the cost of the alternatives).
 *
 * <p>Invariants, for the entry of each page:
 * <ul>
 *   <li>{@code ABSENT} (0): in no frame. Any thread may replace it by {@code loading} or {@code resident}.
 *   <li>{@code loading(frame)} (negative): an I/O thread reads the page into the frame. Only that thread ends it, to
 *       {@code resident} of the same frame or to {@code ABSENT}, except that the creation of the page anew may take it
 *       over with a frame of its own.
 *   <li>{@code resident(frame)} (positive): the page is in the frame. Only the holder of the frame's exclusive latch
 *       replaces it, by {@code ABSENT}.
 *   <li>Every change but the last is a compare-and-set; a chunk of entries, once made, stays.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread.
 */
final class TranslationArray {
    static final int ABSENT = 0;

    /**
     * Logarithm of the entries of a chunk: 128 KiB, the pages of 256 MiB. A small database has a small array, and the
     * directory of all chunks takes 512 KiB of heap.
     */
    private static final int CHUNK_SHIFT = 15;

    private static final int CHUNK_ENTRIES = 1 << CHUNK_SHIFT;
    private static final int CHUNK_MASK = CHUNK_ENTRIES - 1;

    /** As many as there are numbers: a damaged page may lead to a negative one, which is then absent. */
    private static final int CHUNKS = 1 << (Integer.SIZE - CHUNK_SHIFT);

    private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle CHUNK = MethodHandles.arrayElementVarHandle(int[][].class);

    private final int[][] chunks = new int[CHUNKS][];

    /** What a chunk visitor is told. */
    interface EntryVisitor {
        void visit(int pageId, int entry);
    }

    static int resident(int frame) {
        return frame + 1;
    }

    static int loading(int frame) {
        return -frame - 1;
    }

    static boolean isResident(int entry) {
        return entry > 0;
    }

    static boolean isLoading(int entry) {
        return entry < 0;
    }

    /** The frame of an entry that is not absent. */
    static int frame(int entry) {
        return Math.abs(entry) - 1;
    }

    /**
     * Reads an entry; what was written to the frame before the page became resident is visible afterwards.
     *
     * <p>The chunk is read without ordering: a stale null makes the page look absent, and the compare-and-set that
     * follows a look at an absent page finds the chunk; the entries of a chunk are zero before anybody writes them.
     */
    static int entryAcquire(int[][] chunks, int pageId) {
        int[] chunk = chunks[pageId >>> CHUNK_SHIFT];
        return chunk == null ? ABSENT : (int) ENTRY.getAcquire(chunk, pageId & CHUNK_MASK);
    }

    int entryAcquire(int pageId) {
        return entryAcquire(chunks, pageId);
    }

    /** The chunks, for who wants to save the load of this object on every access. */
    int[][] chunks() {
        return chunks;
    }

    /** Replaces an entry if it is still the expected one. */
    boolean casEntry(int pageId, int expected, int replacement) {
        return ENTRY.compareAndSet(chunk(pageId), pageId & CHUNK_MASK, expected, replacement);
    }

    /** Makes room for the entry of a page, so that {@link #casEntry} cannot fail for want of memory. */
    void reserve(int pageId) {
        chunk(pageId);
    }

    /** Makes a page absent; for the holder of the exclusive latch of the frame it is in. */
    void setAbsentRelease(int pageId) {
        ENTRY.setRelease(chunk(pageId), pageId & CHUNK_MASK, ABSENT);
    }

    void forEachPresent(EntryVisitor visitor) {
        for (int c = 0; c < CHUNKS; c++) {
            int[] chunk = (int[]) CHUNK.getAcquire(chunks, c);
            for (int i = 0; chunk != null && i < CHUNK_ENTRIES; i++) {
                int entry = (int) ENTRY.getAcquire(chunk, i);
                if (entry != ABSENT) {
                    visitor.visit((c << CHUNK_SHIFT) | i, entry);
                }
            }
        }
    }

    private int[] chunk(int pageId) {
        int index = pageId >>> CHUNK_SHIFT;
        int[] chunk = (int[]) CHUNK.getAcquire(chunks, index);
        if (chunk != null) {
            return chunk;
        }
        int[] made = new int[CHUNK_ENTRIES];
        int[] winner = (int[]) CHUNK.compareAndExchange(chunks, index, null, made);
        return winner == null ? made : winner;
    }
}
