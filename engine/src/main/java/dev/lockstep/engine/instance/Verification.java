package dev.lockstep.engine.instance;

import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.ProgressListener.Stage;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.VerificationReport;
import dev.lockstep.engine.VerificationReport.Finding;
import dev.lockstep.engine.VerificationReport.Kind;
import dev.lockstep.engine.btree.TreeImage;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.PageReader;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.LogReader;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageChecksum;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.PageWindows;
import dev.lockstep.engine.recovery.Checkpoint;
import dev.lockstep.engine.recovery.CheckpointFile;
import dev.lockstep.engine.type.SchemaCodec;
import dev.lockstep.engine.type.StoredTable;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Reads the files of a closed database and names everything that is wrong with them. Writes nothing but the lock file.
 * Not thread-safe; one object verifies once.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Every page of the file is read once by {@link #checkPages}, which alone tells of damaged ones: {@code damaged}.
 *   <li>{@code reached} are the pages that the walks so far have met.
 *   <li>{@code leftUnlogged} says that the database was used without a log and not closed in order: no log has what was
 *       not written, and pages that were have the LSN 0, whatever the checkpoint knows of them.
 * </ul>
 */
public final class Verification {
    /**
     * Findings told one by one. A file of other contents breaks a rule in every page, and who reads the list needs to
     * know that, not each of them; beyond it one more finding names the pages of the others.
     */
    private static final int FINDINGS_MAX = 10_000;

    /** Pages, or records of the log, between two words to the listener: some milliseconds of reading. */
    private static final int UNITS_PER_REPORT = 1_024;

    private final Storage storage;
    private final Path directory;
    private final ProgressListener progress;
    private final int findingsMax;
    private final List<Finding> findings = new ArrayList<>();
    private final BitSet untold = new BitSet();
    private long untoldCount;
    private final BitSet damaged = new BitSet();
    private final BitSet reached = new BitSet();
    private PageFile pageFile;
    private int pageCount;
    private int treeCount;
    private int reachedCount;
    private long recordCount;
    private long logRecordCount;
    private boolean isWalked = true;
    private boolean isBitmapExact;
    private boolean leftUnlogged;

    /** Verifies the database of a directory. */
    public Verification(Storage storage, Path directory, ProgressListener progress) {
        this(storage, directory, progress, FINDINGS_MAX);
    }

    /** Verifies the database of a directory, and tells so many findings one by one. */
    public Verification(Storage storage, Path directory, ProgressListener progress, int findingsMax) {
        this.storage = storage;
        this.directory = directory;
        this.progress = progress;
        this.findingsMax = findingsMax;
    }

    /**
     * Verifies.
     *
     * @throws MissingFileException if there is no database
     * @throws dev.lockstep.engine.DatabaseInUseException if it is open
     */
    public VerificationReport run() {
        if (!storage.exists(directory.resolve(PageFile.PAGES_FILE))) {
            throw new MissingFileException(Message.of("there is no database in the directory")
                    .with("directory", directory)
                    .with("file", PageFile.PAGES_FILE)
                    .remedy("correct the path"));
        }
        CopyTarget.requireComplete(storage, directory);
        Storage.DirectoryLock lock = storage.lockDirectory(directory);
        try {
            CleanMark mark = CleanMark.readAsFarAsPossible(storage, directory);
            boolean clean = mark.isPresent();
            isBitmapExact = mark.isBitmapExact();
            leftUnlogged = !clean && storage.exists(directory.resolve(FixedPlaces.UNLOGGED_FILE));
            if (leftUnlogged) {
                tell(
                        Kind.LOST,
                        VerificationReport.NO_PAGE,
                        "the last use had no log and did not close the database: nothing can recover it, salvage copies"
                                + " what rows its pages hold, and startEmptyAfterUncleanClose begins anew");
            }
            verify(clean);
            tellUntold();
            return new VerificationReport(
                    pageCount, reached.cardinality(), treeCount, recordCount, logRecordCount, !clean, findings);
        } catch (ListenerFailedException listener) {
            throw listener.failure;
        } finally {
            lock.close();
        }
    }

    private void verify(boolean clean) {
        try (PageFile opened = PageFile.open(storage, directory, null, true)) {
            pageFile = opened;
            pageCount = opened.pageCount();
            checkDoubleWrite();
            Checkpoint checkpointOrNull = readCheckpoint();
            checkPages(checkpointOrNull == null ? Long.MAX_VALUE : endOfLog(checkpointOrNull, clean));
            if (clean) {
                walkTrees();
            }
            if (clean && checkpointOrNull != null) {
                checkBitmap(BitSet.valueOf(checkpointOrNull.pageBitmap()));
            }
        } catch (LockstepException failure) {
            tell(Kind.FILE, VerificationReport.NO_PAGE, failure.getMessage());
            if (pageFile == null) {
                checkPagesAlone();
            }
        }
    }

    /** Without the header of the file nobody knows whose pages they are; whether they are whole they say themselves. */
    private void checkPagesAlone() {
        try (BlockFile file = storage.open(directory.resolve(PageFile.PAGES_FILE), Storage.OpenMode.READ_ONLY);
                Arena arena = Arena.ofShared()) {
            pageCount = (int) Math.min(file.size() >>> PageLayout.PAGE_SHIFT, Integer.MAX_VALUE);
            NativeMemory page = NativeMemory.allocate(arena, PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
            PageWindows windows = new PageWindows(page);
            PageChecksum checksum = new PageChecksum(windows);
            for (int pageId = 1; pageId < pageCount; pageId++) {
                try {
                    file.read(windows.at(0, PageLayout.PAGE_BYTES), PageLayout.fileOffset(pageId));
                    if (!checksum.matches(0, pageId)) {
                        tell(kindOfDamage(page, pageId, checksum), pageId, "the page is damaged, or another one");
                    }
                } catch (StorageException refused) {
                    tell(Kind.IO, pageId, refused.getMessage());
                }
                report(Stage.READ_PAGES, pageId, pageCount);
            }
        } catch (LockstepException failure) {
            tell(Kind.FILE, VerificationReport.NO_PAGE, failure.getMessage());
        }
    }

    /** No page of a database that was closed in order needs its copy, but nothing opens without the file. */
    private void checkDoubleWrite() {
        Path path = directory.resolve(PageFile.DOUBLE_WRITE_FILE);
        try (BlockFile file = storage.open(path, Storage.OpenMode.READ_ONLY)) {
            FileHeader.read(file, FileFormat.DOUBLE_WRITE, pageFile.databaseId());
        } catch (LockstepException failure) {
            tell(Kind.FILE, VerificationReport.NO_PAGE, failure.getMessage());
        }
    }

    /** Without it pages are judged by themselves, and nobody knows where the log begins. */
    private Checkpoint readCheckpoint() {
        try {
            Checkpoint checkpoint = new CheckpointFile(storage, directory).read(pageFile.databaseId());
            if (!leftUnlogged) {
                pageFile.expectLsns(checkpoint.pageLsns());
            }
            return checkpoint;
        } catch (LockstepException failure) {
            tell(Kind.FILE, VerificationReport.NO_PAGE, failure.getMessage());
            return null;
        }
    }

    private long endOfLog(Checkpoint checkpoint, boolean clean) {
        return clean || leftUnlogged ? checkpoint.redoScanLsn() : checkLog(checkpoint);
    }

    /** Reads the log from where recovery would begin; returns where it ends, as far as it can be read. */
    private long checkLog(Checkpoint checkpoint) {
        try (LogReader reader = new LogReader(
                storage, directory, pageFile.databaseId(), checkpoint.redoScanLsn(), checkpoint.durableLsn(), true)) {
            while (reader.next() != null) {
                logRecordCount++;
                report(Stage.READ_LOG, logRecordCount, 0);
            }
            return reader.endLsn();
        } catch (LockstepException failure) {
            tell(Kind.LOG, VerificationReport.NO_PAGE, failure.getMessage());
            return Long.MAX_VALUE;
        }
    }

    private void checkPages(long endLsn) {
        try (Arena arena = Arena.ofShared()) {
            NativeMemory page = NativeMemory.allocate(arena, PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
            PageReader reader = pageFile.newReader(page);
            PageChecksum checksum = new PageChecksum(new PageWindows(page));
            for (int pageId = 1; pageId < pageCount; pageId++) {
                try {
                    reader.read(pageId, 0);
                    if (PageLayout.lsn(page, 0) >= endLsn) {
                        tell(
                                Kind.LSN,
                                pageId,
                                "the page has LSN " + PageLayout.lsn(page, 0) + ", the log ends at " + endLsn);
                    }
                } catch (StorageException refused) {
                    damaged.set(pageId);
                    tell(Kind.IO, pageId, refused.getMessage());
                } catch (LockstepException failure) {
                    damaged.set(pageId);
                    tell(kindOfDamage(page, pageId, checksum), pageId, failure.getMessage());
                }
                report(Stage.READ_PAGES, pageId, pageCount);
            }
        }
        tellListener(Stage.READ_PAGES, pageCount, pageCount);
    }

    private void report(Stage stage, long done, long total) {
        if (done % UNITS_PER_REPORT == 0) {
            tellListener(stage, done, total);
        }
    }

    private void tellListener(Stage stage, long done, long total) {
        try {
            progress.progressed(stage, done, total);
        } catch (LockstepException failure) {
            throw new ListenerFailedException(failure);
        }
    }

    /** A page that is sound and its own was refused for its LSN alone, or it reads as one that was never written. */
    private static Kind kindOfDamage(NativeMemory page, int pageId, PageChecksum checksum) {
        if (checksum.matches(0, pageId)) {
            return Kind.OUTDATED;
        }
        return PageLayout.checksum(page, 0) == checksum.compute(0) ? Kind.IDENTITY : Kind.CHECKSUM;
    }

    private void walkTrees() {
        List<StoredTable> tables = new ArrayList<>();
        walk(CatalogStore.TREE_ID, CatalogStore.ROOT_PAGE_ID, tables);
        for (StoredTable table : tables) {
            walk(table.treeId(), table.rootPageId(), null);
            for (StoredTable.StoredIndex index : table.indexes()) {
                walk(index.treeId(), index.rootPageId(), null);
            }
        }
        tellListener(Stage.WALK_TREES, reachedCount, reachedCount);
    }

    private void walk(int treeId, int rootPageId, List<StoredTable> tablesOrNull) {
        treeCount++;
        try (Arena arena = Arena.ofShared()) {
            NativeMemory page = NativeMemory.allocate(arena, PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
            PageReader reader = pageFile.newReader(page);
            TreeImage.Pages pages = (pageId, target) -> {
                if (damaged.get(pageId)) {
                    isWalked = false;
                    return false;
                }
                reader.read(pageId, 0);
                NativeMemory.copy(page, 0, target, 0, PageLayout.PAGE_BYTES);
                return true;
            };
            new TreeImage(pages, treeId, new TreeRules(treeId, tablesOrNull)).walk(rootPageId);
        }
    }

    /** Carries what the listener has thrown past those who would take it for a finding. */
    @SuppressWarnings("serial") // never leaves this class
    private static final class ListenerFailedException extends RuntimeException {
        private final transient LockstepException failure;

        ListenerFailedException(LockstepException failure) {
            super(failure);
            this.failure = failure;
        }
    }

    /** Notes what a walk meets. */
    private final class TreeRules implements TreeImage.Visitor {
        private final int treeId;
        private final List<StoredTable> tablesOrNull;

        TreeRules(int treeId, List<StoredTable> tablesOrNull) {
            this.treeId = treeId;
            this.tablesOrNull = tablesOrNull;
        }

        @Override
        public boolean reached(int pageId) {
            if (pageId < 1) {
                isWalked = false;
                String what = "the catalog names no page of the file as the root of tree " + treeId;
                tell(Kind.REACHABILITY, VerificationReport.NO_PAGE, what + ": rootPageId=" + pageId);
                return false;
            }
            if (pageId >= pageCount) {
                isWalked = false;
                tell(Kind.REACHABILITY, pageId, "tree " + treeId + " names a page behind the end of the file");
                return false;
            }
            if (reached.get(pageId)) {
                tell(Kind.REACHABILITY, pageId, "the page is reached twice, here in tree " + treeId);
                return false;
            }
            reached.set(pageId);
            report(Stage.WALK_TREES, ++reachedCount, pageCount);
            return true;
        }

        @Override
        public void broken(int pageId, String rule) {
            isWalked = false;
            tell(Kind.TREE, pageId, "in tree " + treeId + " it does not hold that " + rule);
        }

        @Override
        public void record(byte[] key, byte[] value) {
            recordCount++;
            if (tablesOrNull != null) {
                try {
                    tablesOrNull.add(SchemaCodec.decode(value, 0, value.length));
                } catch (LockstepException failure) {
                    isWalked = false;
                    tell(Kind.TREE, VerificationReport.NO_PAGE, failure.getMessage());
                }
            }
        }
    }

    /** Behind a broken page nothing was reached, so only a whole walk says which pages nothing reaches. */
    private void checkBitmap(BitSet inUse) {
        for (int pageId = 1; pageId < Math.max(pageCount, inUse.length()); pageId++) {
            if (reached.get(pageId) && !inUse.get(pageId)) {
                tell(Kind.REACHABILITY, pageId, "a page in use is marked as free");
            } else if (isWalked && isBitmapExact && inUse.get(pageId) && !reached.get(pageId)) {
                tell(Kind.REACHABILITY, pageId, "a page marked as in use is not reached");
            }
        }
    }

    private void tell(Kind kind, int pageId, String what) {
        if (findings.size() < findingsMax) {
            findings.add(new Finding(kind, pageId, what));
            return;
        }
        untoldCount++;
        if (pageId != VerificationReport.NO_PAGE) {
            untold.set(pageId);
        }
    }

    private void tellUntold() {
        if (untoldCount == 0) {
            return;
        }
        StringBuilder pages = new StringBuilder();
        // Ends behind the last page that is set.
        for (int first = untold.nextSetBit(0); first >= 0; ) {
            int end = untold.nextClearBit(first);
            pages.append(pages.isEmpty() ? "" : ", ").append(first);
            if (end - first > 1) {
                pages.append(" to ").append(end - 1);
            }
            first = untold.nextSetBit(end);
        }
        findings.add(new Finding(
                findings.getLast().kind(),
                VerificationReport.NO_PAGE,
                untoldCount + " more findings are not told one by one, of " + untold.cardinality() + " pages: "
                        + pages));
    }
}
