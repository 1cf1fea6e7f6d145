package dev.lockstep.engine.file;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.ReadOnlyException;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * The pages of a database on disk: {@code pages.lockstep}, where page <i>n</i> begins at byte 8192 <i>n</i> and page 0
 * is the header of the file, and {@code doublewrite.lockstep} beside it.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Every page in the file is whole: it was never written (beyond the end, or zero throughout), or it carries its
 *       own page id and the right checksum. A crash may break this for the pages of one batch, and {@link #open} mends
 *       it.
 *   <li>While {@code copies}, pages are written in place only when the double-write file holds the batch; afterwards
 *       that file holds no batch, and half-written pages are mended by the log or not at all.
 *   <li>While {@code isInPlaceIncomplete}, pages of the last batch may be damaged, and their copies are in the
 *       double-write file; no other batch overwrites them before they are put back.
 *   <li>After a failed force, nothing is written any more.
 *   <li>{@code lsns} are those of the pages in the file while no batch is being written, as far as they are known.
 *   <li>A page in the file has an LSN below {@code lsnEnd}, or one that {@code lsns} knows. A batch that fails on its
 *       way may leave others, so nothing is expected from then on.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread. Batches exclude each other ({@code writeLock}); pages are
 * read beside them.
 */
public final class PageFile implements AutoCloseable {
    /** Name of the file of the pages. */
    public static final String PAGES_FILE = "pages.lockstep";

    /** Name of the file of the copies. */
    public static final String DOUBLE_WRITE_FILE = "doublewrite.lockstep";

    /**
     * So many neighbours, 128 KiB, are written past the system's cache. A shorter run would wait for the disk by itself
     * where the cache lets it go with others, and a pool that gives pages up finds them in that cache again: from 8
     * pages on, a pool of a quarter of the database cost the page writer half as much again (ARCHITECTURE.md).
     */
    static final int UNCACHED_RUN_PAGES_MIN = 16;

    private final BlockFile pages;
    private final DoubleWrite doubleWriteOrNull;
    private final FileHeader header;
    private final boolean checksums;
    private final int restoredPageCount;
    private final PageLsns lsns = new PageLsns();

    /** Taken by engine threads, or at open and close; held during a batch. */
    private final ReentrantLock writeLock = new ReentrantLock();

    private boolean copies = true;
    private boolean isInPlaceIncomplete;
    private volatile Throwable forceFailure;
    private volatile long lsnEnd = Long.MAX_VALUE;

    private PageFile(
            BlockFile pages,
            DoubleWrite doubleWriteOrNull,
            FileHeader header,
            boolean checksums,
            int restoredPageCount) {
        this.pages = pages;
        this.checksums = checksums;
        this.doubleWriteOrNull = doubleWriteOrNull;
        this.header = header;
        this.restoredPageCount = restoredPageCount;
    }

    /**
     * Makes both files, in place of any that are there. They are on the medium when this returns.
     *
     * @param storage the file system
     * @param directory where the files lie
     * @param databaseId what the files are marked with
     */
    public static PageFile create(Storage storage, Path directory, DatabaseId databaseId) {
        return create(storage, directory, databaseId, true);
    }

    /**
     * As above.
     *
     * @param storage the file system
     * @param directory where the files lie
     * @param databaseId what the files are marked with
     * @param checksums whether pages are written with checksums, and these are looked at
     */
    public static PageFile create(Storage storage, Path directory, DatabaseId databaseId, boolean checksums) {
        BlockFile pages = storage.open(directory.resolve(PAGES_FILE), Storage.OpenMode.CREATE);
        try {
            FileHeader header = FileHeader.of(FileFormat.PAGES, databaseId, 0);
            pages.write(header.encode(PageLayout.PAGE_BYTES), 0);
            pages.force(true);
            DoubleWrite doubleWrite = DoubleWrite.create(storage, directory.resolve(DOUBLE_WRITE_FILE), databaseId);
            try {
                storage.forceDirectory(directory);
            } catch (RuntimeException | Error e) {
                Closing.quietly(doubleWrite, e);
                throw e;
            }
            return new PageFile(pages, doubleWrite, header, checksums, 0);
        } catch (RuntimeException | Error e) {
            Closing.quietly(pages, e);
            throw e;
        }
    }

    /**
     * Opens both files and mends the pages that a crash left half written, before anything else looks at them.
     *
     * @param storage the file system
     * @param directory where the files lie
     * @param databaseIdOrNull the database that the files must belong to, or null if any will do
     * @param readOnly whether nothing is to be written; then pages are not mended, and reading a damaged one fails
     * @throws DiskFullException if the double-write file is too short, as one of version 1 is, and there is no room for
     *     the rest of it; the next open tries again
     * @throws LockstepException as {@link FileHeader#read} and {@link Storage#open}
     */
    public static PageFile open(Storage storage, Path directory, DatabaseId databaseIdOrNull, boolean readOnly) {
        return open(storage, directory, databaseIdOrNull, readOnly, true);
    }

    /**
     * As above.
     *
     * @param storage the file system
     * @param directory where the files lie
     * @param databaseIdOrNull the database that the files must belong to, or null if any will do
     * @param readOnly whether nothing is to be written
     * @param checksums whether pages are written with checksums, and these are looked at
     * @throws LockstepException as above
     */
    public static PageFile open(
            Storage storage, Path directory, DatabaseId databaseIdOrNull, boolean readOnly, boolean checksums) {
        Storage.OpenMode mode = readOnly ? Storage.OpenMode.READ_ONLY : Storage.OpenMode.READ_WRITE;
        BlockFile pages = storage.open(directory.resolve(PAGES_FILE), mode);
        DoubleWrite doubleWrite = null;
        try {
            FileHeader header = FileHeader.read(pages, FileFormat.PAGES, databaseIdOrNull);
            int restoredPageCount = 0;
            if (!readOnly) {
                doubleWrite = DoubleWrite.open(storage, directory.resolve(DOUBLE_WRITE_FILE), header.databaseId());
                restoredPageCount = doubleWrite.restore(pages, true);
                pages.force(true);
                doubleWrite.upgrade();
            }
            return new PageFile(pages, doubleWrite, header, checksums, restoredPageCount);
        } catch (RuntimeException | Error e) {
            if (doubleWrite != null) {
                Closing.quietly(doubleWrite, e);
            }
            Closing.quietly(pages, e);
            throw e;
        }
    }

    /**
     * Ends the copies: from now on pages are written in place alone. What a crash leaves half written is then mended by
     * the images that the caller's log has, or by nothing.
     *
     * @throws dev.lockstep.engine.StorageException if the system refuses
     */
    public void endCopies() {
        checkWritable();
        ForeignCalls.run(() -> {
            writeLock.lock();
            try {
                completeLastBatch();
                try {
                    doubleWriteOrNull.forget();
                } catch (RuntimeException | Error e) {
                    forceFailure = e;
                    throw e;
                }
                copies = false;
                return null;
            } finally {
                writeLock.unlock();
            }
        });
    }

    /** Returns the database that the file belongs to. */
    public DatabaseId databaseId() {
        return header.databaseId();
    }

    /** Returns whether nothing can be written. */
    public boolean isReadOnly() {
        return doubleWriteOrNull == null;
    }

    /** Returns how many half-written pages were put back at open. */
    public int restoredPageCount() {
        return restoredPageCount;
    }

    /** Returns the number of pages in the file, page 0 included; pages from there on were never written. */
    public int pageCount() {
        return Math.toIntExact((pages.size() + PageLayout.PAGE_BYTES - 1) >>> PageLayout.PAGE_SHIFT);
    }

    /** Returns whether a force failed, after which nothing is written any more. */
    public boolean isFailed() {
        return forceFailure != null;
    }

    /**
     * Returns the highest LSN of a page that was ever about to be written, as far as is known: the log must reach
     * beyond it.
     *
     * @return the LSN, 0 if none is known
     */
    public long lsnMax() {
        return doubleWriteOrNull == null ? 0 : doubleWriteOrNull.lsnMax();
    }

    /**
     * Says with which LSNs pages were written earlier, before the first of them is read.
     *
     * @param pageLsns by page id; 0 where nothing is known, as it is behind the last
     */
    public void expectLsns(long[] pageLsns) {
        for (int pageId = 0; pageId < pageLsns.length; pageId++) {
            if (pageLsns[pageId] != 0) {
                lsns.set(pageId, pageLsns[pageId]);
            }
        }
    }

    /**
     * Returns what {@link #expectLsns} has to be told when the file is opened again.
     *
     * @param pageBitmap bit {@code pageId % 64} of word {@code pageId / 64} is set if the page is in use; of others
     *     nothing has to be known
     * @param pageCountMax pages from there on are left out
     */
    public long[] pageLsns(long[] pageBitmap, int pageCountMax) {
        int pageCount = (int) Math.min(Math.min((long) pageBitmap.length * Long.SIZE, lsns.pageCount()), pageCountMax);
        long[] pageLsns = new long[pageCount];
        int end = 0;
        for (int pageId = 0; pageId < pageCount; pageId++) {
            if ((pageBitmap[pageId / Long.SIZE] & 1L << pageId) != 0) {
                pageLsns[pageId] = lsns.get(pageId);
                end = pageLsns[pageId] == 0 ? end : pageId + 1;
            }
        }
        return Arrays.copyOf(pageLsns, end);
    }

    /**
     * Says where a recovery has found the end of the log: a page that is in the file by then has a lower LSN, else the
     * log was longer once. Pages that were read before have to be compared by whoever read them.
     *
     * @param endLsn the LSN of the next record of the log
     */
    public void expectLsnsBelow(long endLsn) {
        lsnEnd = endLsn;
    }

    /** Returns what says that a page knows more than the log. */
    public static CorruptionException newerThanLog(int pageId, long lsn, long endLsn) {
        return new CorruptionException(Message.of("A page on disk is newer than the end of the log")
                .with("pageId", pageId)
                .with("lsnInPage", lsn)
                .with("logEndLsn", endLsn)
                .remedy("The medium has lost the end of the log: restore the database from a backup."));
    }

    /** Returns where the log ended when the file was opened; the largest number if nobody knows. */
    long lsnEnd() {
        return lsnEnd;
    }

    /** Returns the LSN that a page in the file has at least. */
    long lsnAtLeast(int pageId) {
        return lsns.get(pageId);
    }

    /**
     * Makes a reader for one thread.
     *
     * @param memory where it reads pages to
     */
    public PageReader newReader(NativeMemory memory) {
        return new PageReader(this, memory);
    }

    /**
     * Writes pages so that each is whole after a crash, old or new, and returns when they are on the medium. After
     * {@link #endCopies} a crash may leave a part of a page.
     *
     * <p>When this throws, no page counts as written. The same or other batches may be tried again unless {@link
     * #isFailed()}; after a full disk they fail until there is room.
     *
     * @param batch at least one page; their checksums are made here
     * @throws DiskFullException if there is no room
     * @throws dev.lockstep.engine.StorageException if the system refuses
     * @throws DatabaseFailedException if a force failed earlier
     * @throws ReadOnlyException if the file was opened to be read only
     */
    public void write(PageBatch batch) {
        checkWritable();
        writeLock.lock();
        try {
            completeLastBatch();
            batch.sealPages(checksums);
            try {
                if (copies) {
                    doubleWriteOrNull.write(batch);
                } else {
                    doubleWriteOrNull.note(batch);
                }
            } catch (RuntimeException | Error e) {
                // The copies may be half written, which is harmless: no page of this batch was touched. But unless the
                // disk is full, which only a write says, a failed force and a failed write cannot be told apart here,
                // and after a failed force copies cannot be relied on.
                if (!(e instanceof DiskFullException)) {
                    forceFailure = e;
                }
                throw e;
            }
            isInPlaceIncomplete = copies;
            try {
                writeInPlace(batch);
                forcePages(false);
            } catch (RuntimeException | Error e) {
                lsnEnd = Long.MAX_VALUE;
                throw e;
            }
            isInPlaceIncomplete = false;
            for (int i = 0; i < batch.pageCount(); i++) {
                lsns.set(batch.pageId(i), batch.lsn(i));
            }
        } finally {
            writeLock.unlock();
        }
    }

    private void completeLastBatch() {
        if (isInPlaceIncomplete) {
            doubleWriteOrNull.restore(pages, false);
            forcePages(false);
            isInPlaceIncomplete = false;
        }
    }

    private void writeInPlace(PageBatch batch) {
        int first = 0;
        while (first < batch.pageCount()) {
            int end = first + 1;
            while (end < batch.pageCount() && batch.pageId(end) == batch.pageId(end - 1) + 1) {
                end++;
            }
            ByteBuffer run = batch.pages(first, end - first);
            long position = PageLayout.fileOffset(batch.pageId(first));
            if (end - first >= UNCACHED_RUN_PAGES_MIN) {
                pages.writeUncached(run, position);
            } else {
                pages.write(run, position);
            }
            first = end;
        }
    }

    /**
     * Cuts the end of the file off; the new length is on the medium when this returns.
     *
     * @param pageCount asked once no batch is being written, until this returns: how many pages stay, page 0 included.
     *     No page behind them may hold what is needed, now or for a replay of the log
     * @return number of pages cut off
     * @throws dev.lockstep.engine.StorageException if the system refuses
     */
    public int truncate(IntSupplier pageCount) {
        checkWritable();
        return ForeignCalls.run(() -> truncateHere(pageCount));
    }

    private int truncateHere(IntSupplier pageCount) {
        writeLock.lock();
        try {
            completeLastBatch();
            int pageCountBefore = pageCount();
            int pageCountKept = pageCount.getAsInt();
            if (pageCountKept >= pageCountBefore) {
                return 0;
            }
            pages.truncate(PageLayout.fileOffset(pageCountKept));
            forcePages(true);
            for (int pageId = pageCountKept; pageId < pageCountBefore; pageId++) {
                lsns.set(pageId, 0);
            }
            return pageCountBefore - pageCountKept;
        } finally {
            writeLock.unlock();
        }
    }

    /** Returns when everything written is on the medium, the length of the file included. */
    public void force() {
        checkWritable();
        writeLock.lock();
        try {
            forcePages(false);
        } finally {
            writeLock.unlock();
        }
    }

    /** Closes both files. */
    @Override
    public void close() {
        try (pages) {
            if (doubleWriteOrNull != null) {
                doubleWriteOrNull.close();
            }
        }
    }

    /** Reads a page as it lies in the file; returns the bytes read. */
    int readUnchecked(ByteBuffer target, int pageId) {
        return pages.read(target, PageLayout.fileOffset(pageId));
    }

    /** Does something while no batch is being written, and the file is not cut off. */
    void betweenBatches(Runnable action) {
        writeLock.lock();
        try {
            action.run();
        } finally {
            writeLock.unlock();
        }
    }

    Path path() {
        return pages.path();
    }

    /** Whether checksums are made and looked at. */
    boolean checksums() {
        return checksums;
    }

    private void forcePages(boolean metadata) {
        try {
            pages.force(metadata);
        } catch (RuntimeException | Error e) {
            forceFailure = e;
            throw e;
        }
    }

    private void checkWritable() {
        if (isReadOnly()) {
            throw new ReadOnlyException(Message.of("The database is open to be read only")
                    .with("file", pages.path())
                    .remedy("Open it without the read-only option."));
        }
        Throwable failure = forceFailure;
        if (failure != null) {
            throw new DatabaseFailedException(
                    Message.of("Pages could not be forced to the medium earlier")
                            .with("file", pages.path())
                            .with("reason", failure)
                            .remedy("Check the medium, then open the database again; its log is replayed."),
                    failure);
        }
    }
}
