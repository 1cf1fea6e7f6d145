package dev.lockstep.engine.file;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * For each page an LSN, kept apart from the page. In {@link PageFile} the one with which it was last written to the
 * file: a page in the file with a lower one is an old copy, because a write was reported as done and never was, or was
 * done elsewhere.
 *
 * <p>Eight bytes of heap for each page of the file, a thousandth of it, in steps of 256 KiB.
 *
 * <p>Invariants:
 * <ul>
 *   <li>An entry of 0 says nothing.
 *   <li>In {@link PageFile}, while no batch is being written, an entry is at most the LSN of the page in the file.
 * </ul>
 *
 * <p>Thread-safety: {@link #get} by any thread; everything else by one at a time, in {@link PageFile} under its lock,
 * or before it is shared.
 */
public final class PageLsns {
    private static final int CHUNK_SHIFT = 15;
    private static final int CHUNK_PAGES = 1 << CHUNK_SHIFT;
    private static final int CHUNK_MASK = CHUNK_PAGES - 1;
    private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(long[].class);

    private volatile long[][] chunks = new long[0][];

    /** All entries are 0. */
    public PageLsns() {}

    /** Returns the entry of a page, from before or after a change beside the call. */
    public long get(int pageId) {
        long[][] present = chunks;
        int chunk = pageId >>> CHUNK_SHIFT;
        return chunk < present.length ? (long) ENTRY.getOpaque(present[chunk], pageId & CHUNK_MASK) : 0;
    }

    /** Stores the entry of a page. */
    public void set(int pageId, long lsn) {
        int chunk = pageId >>> CHUNK_SHIFT;
        if (chunk >= chunks.length) {
            int before = chunks.length;
            long[][] grown = Arrays.copyOf(chunks, chunk + 1);
            for (int i = before; i <= chunk; i++) {
                grown[i] = new long[CHUNK_PAGES];
            }
            chunks = grown;
        }
        ENTRY.setOpaque(chunks[chunk], pageId & CHUNK_MASK, lsn);
    }

    /** Pages up to the last one that may have an entry. */
    int pageCount() {
        return chunks.length << CHUNK_SHIFT;
    }
}
