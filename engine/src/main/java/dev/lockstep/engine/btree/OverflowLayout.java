package dev.lockstep.engine.btree;

import dev.lockstep.engine.page.PageLayout;

/**
 * Layout of an overflow page, and of the stub that stands for the value in its leaf.
 *
 * <pre>
 *  page: 0                32               36             40
 *        | page header    | next page i32  | bytes i32    | bytes of the value ...        | 8192
 *        (next page 0 ends the chain: page 0 is the file header)
 *
 *  stub: | first page i32 | value bytes i32 |
 * </pre>
 *
 * Overflow pages are written once, before the record that refers to them. Only {@code next page} changes afterwards, in
 * one record with the leaf, where the page behind is moved.
 */
final class OverflowLayout {
    static final int NEXT_PAGE = PageLayout.HEADER_BYTES;
    static final int CHUNK_BYTES = NEXT_PAGE + 4;
    static final int CHUNK = CHUNK_BYTES + 4;

    /** Bytes of a value that one page holds. */
    static final int CHUNK_BYTES_MAX = PageLayout.PAGE_BYTES - CHUNK;

    static final int STUB_FIRST_PAGE = 0;
    static final int STUB_VALUE_BYTES = 4;

    /** Size of the stub. */
    static final int STUB_BYTES = 8;

    static {
        if (CHUNK != 40 || STUB_VALUE_BYTES + 4 != STUB_BYTES) {
            throw new AssertionError("chunk=" + CHUNK);
        }
    }

    private OverflowLayout() {}
}
