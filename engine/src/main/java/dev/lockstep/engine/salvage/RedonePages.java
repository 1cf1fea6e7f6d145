package dev.lockstep.engine.salvage;

import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.btree.LoggedPages;
import dev.lockstep.engine.btree.PageRedo;
import dev.lockstep.engine.btree.TreeSurvey;
import dev.lockstep.engine.file.DoubleWriteCopies;
import dev.lockstep.engine.log.LogRecordView;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.lang.foreign.Arena;
import java.util.BitSet;

/**
 * The pages of a file with what the log and the double-write area know better, while the file itself stays as it is.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A page in {@code space} counts in place of the one in the file. Nothing counts any more once that has failed.
 *   <li>A record changes a part of a page only if the page is what it was before that record, as far as its LSN and the
 *       LSN kept apart from it tell. One that cannot be changed is {@code stuck}: it is an earlier state from there on,
 *       until a record brings the whole page.
 *   <li>A page of LSN 0 was changed without a log behind every record before {@code redoScanLsn}, so none of those is
 *       repeated on it. Where it is lost, what such records make of it lacks these changes: it is {@code outdated}.
 *   <li>{@code page} holds page {@code pageId}, and {@code before} what it was, between {@link #latchIfOlder} and the
 *       end of the record.
 * </ul>
 *
 * <p>Not thread-safe.
 */
final class RedonePages extends PageRedo implements AutoCloseable {
    /** Every tree. */
    static final int ALL_TREES = 0;

    /** As many pages as one record may fail on, and one more. */
    private static final int ATTEMPTS_MAX = 64;

    private static final int NO_PAGE = 0;

    /** Of a page that was last changed without a log. */
    private static final long NO_LSN = 0;

    /**
     * Pages that the log may add behind the end of the file, 8 GiB: far more than what is written between two
     * checkpoints, and few enough that a page id that is nonsense takes no memory.
     */
    private static final int PAGES_ADDED_MAX = 1 << 20;

    private final SourcePages source;
    private final PageSpace space;
    private final int onlyTreeId;
    private final int pageIdEnd;
    private final long redoScanLsn;
    private final BitSet stuck = new BitSet();
    private final BitSet outdated = new BitSet();
    private final Arena arena = Arena.ofShared();
    private final NativeMemory page = TreeSurvey.pageMemory(arena);
    private final NativeMemory before = TreeSurvey.pageMemory(arena);
    private int pageId;
    private long refusedCount;
    private long lsnMax;
    private boolean hasUnlogged;
    private boolean hasSpaceFailed;

    /**
     * @param redoScanLsn what was logged before is in the pages; see {@link SourceFiles#redoScanLsn}
     * @param onlyTreeId the tree to whose pages records are applied, or {@link #ALL_TREES}
     */
    RedonePages(SourcePages source, PageSpace space, long redoScanLsn, int onlyTreeId) {
        this.source = source;
        this.space = space;
        this.redoScanLsn = redoScanLsn;
        this.onlyTreeId = onlyTreeId;
        pageIdEnd = Math.addExact(source.pageCount(), PAGES_ADDED_MAX);
    }

    /** Takes the copies of the double-write area that are newer or better than what lies in the file. */
    void takeCopies(SourceFiles files) {
        if (files.databaseIdOrNull() == null) {
            return;
        }
        try {
            DoubleWriteCopies.visit(files.storage(), files.directory(), files.databaseIdOrNull(), this::takeCopy);
        } catch (LockstepException unreadable) {
            if (hasSpaceFailed) {
                throw unreadable;
            }
            files.problems().add(unreadable.getMessage());
        }
    }

    private void takeCopy(int copiedPageId, NativeMemory memory, long address) {
        PageState state = source.read(copiedPageId, page);
        boolean isBetter =
                state != PageState.SOUND || isOlder(PageLayout.lsn(page, 0), PageLayout.lsn(memory, address));
        boolean isOldCopy = PageLayout.lsn(memory, address) < source.lsnAtLeast(copiedPageId);
        if (isBetter && !isOldCopy && copiedPageId < pageIdEnd) {
            NativeMemory.copy(memory, address, page, 0, PageLayout.PAGE_BYTES);
            lsnMax = Math.max(lsnMax, PageLayout.lsn(page, 0));
            put(copiedPageId, page);
        }
    }

    /** Whether a page, as it is in use, lacks a change. */
    private boolean isOlder(long pageLsn, long changeLsn) {
        return pageLsn == NO_LSN ? changeLsn >= redoScanLsn : pageLsn < changeLsn;
    }

    /**
     * Says that the database was used without a log, before the log is repeated. Sound pages without an LSN tell: where
     * none is left, a page that is lost passes for what the log makes of it.
     */
    void foundUnlogged() {
        hasUnlogged = true;
    }

    /** Whether it was, as far as anybody has found. */
    boolean hasUnlogged() {
        return hasUnlogged;
    }

    /**
     * The highest LSN that overflow pages of a sound leaf can have. They are written before the record that refers to
     * them, and changed only together with the leaf, so a page with a higher one belongs to another value by now.
     */
    long chainLsnMax(long leafLsn) {
        return leafLsn == NO_LSN ? redoScanLsn - 1 : leafLsn;
    }

    /** Pages of the file and of the log, page 0 included. */
    int pageCount() {
        return Math.max(source.pageCount(), space.pageCount());
    }

    /** The highest LSN of a copy that was taken. */
    long lsnMax() {
        return lsnMax;
    }

    /** Changes that could not be repeated because their page is lost. */
    long refusedCount() {
        return refusedCount;
    }

    /** Reads a page with all that was repeated. */
    PageState read(int wantedPageId, NativeMemory target) {
        PageState state = readRaw(wantedPageId, target);
        boolean isOld = stuck.get(wantedPageId)
                || outdated.get(wantedPageId)
                || PageLayout.lsn(target, 0) < source.lsnAtLeast(wantedPageId);
        return state == PageState.SOUND && isOld ? PageState.OUTDATED : state;
    }

    private PageState readRaw(int wantedPageId, NativeMemory target) {
        if (!get(wantedPageId, target)) {
            return source.read(wantedPageId, target);
        }
        return PageLayout.type(target, 0) == PageLayout.TYPE_NONE ? PageState.NEVER_WRITTEN : PageState.SOUND;
    }

    private boolean get(int wantedPageId, NativeMemory target) {
        try {
            return space.get(wantedPageId, target);
        } catch (RuntimeException failure) {
            hasSpaceFailed = true;
            throw failure;
        }
    }

    private boolean put(int keptPageId, NativeMemory kept) {
        try {
            return space.put(keptPageId, kept);
        } catch (RuntimeException failure) {
            hasSpaceFailed = true;
            throw failure;
        }
    }

    /** Whether pages could not be kept, which is no damage of the database, and ends the call. */
    boolean hasSpaceFailed() {
        return hasSpaceFailed;
    }

    /** As {@link TreeSurvey.Pages}: sound pages alone. */
    String readSound(int wantedPageId, NativeMemory target) {
        PageState state = read(wantedPageId, target);
        return state == PageState.SOUND ? null : state.words();
    }

    /** Repeats a record wherever that can be done. */
    void apply(LogRecordView record) {
        if (onlyTreeId != ALL_TREES && LoggedPages.isLeafChange(record) && LoggedPages.treeId(record) != onlyTreeId) {
            return;
        }
        int failedPageId = NO_PAGE;
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            pageId = NO_PAGE;
            try {
                redo(record);
                return;
            } catch (RuntimeException doesNotFit) {
                if (hasSpaceFailed) {
                    throw doesNotFit;
                }
                // The page is not what the record was made for, or the record is nonsense behind a right checksum.
                refusedCount++;
                if (pageId == NO_PAGE) {
                    return;
                }
                put(pageId, before);
                stuck.set(pageId);
                if (pageId == failedPageId) {
                    // By an image, for which a page may be stuck: it will not fit the next time either.
                    return;
                }
                failedPageId = pageId;
            }
        }
    }

    @Override
    protected NativeMemory memory() {
        return page;
    }

    @Override
    protected long address() {
        return 0;
    }

    @Override
    protected boolean latchIfOlder(int changedPageId, long lsn, boolean wholePage) {
        if (changedPageId < 1 || changedPageId >= pageIdEnd) {
            refusedCount++;
            return false;
        }
        PageState state = readRaw(changedPageId, page);
        long pageLsn = PageLayout.lsn(page, 0);
        boolean isUsable = state == PageState.SOUND && !stuck.get(changedPageId);
        if (wholePage) {
            boolean isOlder = state == PageState.SOUND ? isOlder(pageLsn, lsn) : pageLsn < lsn;
            boolean isMissing = !state.isWhole() || isOlder;
            if (isMissing) {
                boolean lacksUnlogged = hasUnlogged && lsn < redoScanLsn;
                outdated.set(changedPageId, lacksUnlogged);
                if (!state.isWhole()) {
                    page.clear(0, page.byteSize());
                }
                pageId = changedPageId;
                NativeMemory.copy(page, 0, before, 0, PageLayout.PAGE_BYTES);
            }
            return isMissing;
        }
        if (!isUsable) {
            // What an old copy holds is the page of that time; a page that is lost stays so.
            refusedCount += state.isWhole() && pageLsn >= lsn ? 0 : 1;
            return false;
        }
        if (onlyTreeId != ALL_TREES && PageLayout.treeId(page, 0) != onlyTreeId) {
            return false;
        }
        if (isOlder(pageLsn, lsn)) {
            pageId = changedPageId;
            NativeMemory.copy(page, 0, before, 0, PageLayout.PAGE_BYTES);
            return true;
        }
        return false;
    }

    @Override
    protected void unlatchImage(boolean changed, long lsn) {
        // An image is as new as its record, whatever LSN the page has in it.
        if (changed && lsn >= redoScanLsn) {
            outdated.clear(pageId);
        }
        unlatch(changed, lsn);
    }

    @Override
    protected void unlatch(boolean changed, long lsn) {
        if (!changed || (onlyTreeId != ALL_TREES && PageLayout.treeId(page, 0) != onlyTreeId)) {
            return;
        }
        PageLayout.setLsn(page, 0, lsn);
        if (put(pageId, page)) {
            stuck.clear(pageId);
        } else {
            stuck.set(pageId);
        }
    }

    @Override
    public void close() {
        try (arena) {
            space.close();
        }
    }
}
