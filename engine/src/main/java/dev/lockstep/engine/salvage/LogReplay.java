package dev.lockstep.engine.salvage;

import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.ProgressListener.Stage;
import dev.lockstep.engine.SalvageReport.LogUse;
import dev.lockstep.engine.btree.LeafChange;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.log.LogReader;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.log.LogRecordView;
import dev.lockstep.engine.recovery.Checkpoint;
import dev.lockstep.engine.recovery.Recovery;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Repeats what is left of a log on pages, and knows what the transactions had changed that did not commit.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Records are repeated in order and without a gap, from the oldest one that is kept: a page that is lost may come
 *       back as a whole, and pages that have a record already do not take it again.
 *   <li>Changes are only taken back if the log could be read up to the newest page: else nobody knows who has
 *       committed.
 * </ul>
 *
 * <p>Not thread-safe.
 */
final class LogReplay implements AutoCloseable {
    /** Records between two reports of progress. */
    private static final int RECORDS_PER_REPORT = 100_000;

    private final SourceFiles files;
    private final RedonePages pages;
    private final ProgressListener progress;

    /** LSNs of the records to be taken back, newest first, by tree and key. */
    private final Map<RowName, List<Long>> undone = new HashMap<>();

    private LogReader reader;
    private LogUse use;
    private long repeatedCount;

    /** A row; the key has a character for each byte. */
    private record RowName(int treeId, String key) {
        static RowName of(int treeId, byte[] key) {
            return new RowName(treeId, new String(key, StandardCharsets.ISO_8859_1));
        }
    }

    /** A record of a leaf: its slot flags and what is stored. */
    static final class Stored {
        private final int flags;
        private final byte[] bytes;

        Stored(int flags, byte[] bytes) {
            this.flags = flags;
            this.bytes = bytes;
        }

        int flags() {
            return flags;
        }

        byte[] bytes() {
            return bytes;
        }
    }

    LogReplay(SourceFiles files, RedonePages pages, ProgressListener progress) {
        this.files = files;
        this.pages = pages;
        this.progress = progress;
    }

    /**
     * Repeats the log.
     *
     * @param lsnMax the highest LSN of a page
     */
    void run(long lsnMax) {
        boolean isNeeded = !files.closedInOrder();
        try {
            use = repeat(isNeeded, lsnMax);
        } catch (LockstepException unreadable) {
            if (pages.hasSpaceFailed()) {
                throw unreadable;
            }
            undone.clear();
            boolean hasLog = LogReader.segments(files.storage(), files.directory()).length > 0;
            String problem = isNeeded || hasLog ? unreadable.getMessage() : "";
            problem = lacksChanges() ? unloggedProblem() : problem;
            use = new LogUse(isNeeded, !isNeeded, repeatedCount, 0, 0, pages.refusedCount(), problem);
        }
    }

    private LogUse repeat(boolean isNeeded, long lsnMax) {
        if (files.databaseIdOrNull() == null) {
            return new LogUse(isNeeded, !isNeeded, 0, 0, 0, 0, "no file tells which database the log belongs to");
        }
        Checkpoint checkpoint = files.checkpointOrNull();
        long fromLsn = beginLsn(checkpoint);
        reader = LogReader.tolerant(files.storage(), files.directory(), files.databaseIdOrNull(), fromLsn);
        Recovery recovery = new Recovery(reader, fromLsn, this::repeat, 0);
        long endLsn = recovery.redo();
        long neededLsn = Math.max(lsnMax + 1, checkpoint == null ? 0 : checkpoint.durableLsn());
        boolean isWhole = reader.damage() == null && endLsn >= neededLsn;
        long rolledBack = 0;
        if (isNeeded && isWhole) {
            rolledBack = recovery.visitUndoable(this::noteUndoable);
        }
        String problem = reader.damage() == null ? "" : reader.damage().getMessage();
        if (problem.isEmpty() && isNeeded && !isWhole) {
            problem = "the log ends at " + endLsn + ", and was on disk up to " + neededLsn + " at least";
        }
        boolean lacksChanges = lacksChanges();
        if (problem.isEmpty() && lacksChanges) {
            problem = unloggedProblem();
        }
        boolean isComplete = !isNeeded || (isWhole && !lacksChanges);
        return new LogUse(isNeeded, isComplete, repeatedCount, endLsn, rolledBack, pages.refusedCount(), problem);
    }

    /** Whether the last state is neither in the pages nor in the log, however whole that is. */
    private boolean lacksChanges() {
        boolean isBeginUnknown = !files.closedInOrder() && files.checkpointOrNull() == null && pages.hasUnlogged();
        return files.leftUnlogged() || isBeginUnknown;
    }

    private String unloggedProblem() {
        return files.leftUnlogged()
                ? "the database was used without a log and not closed in order, so what was not written is lost"
                : "the database was once used without a log, and with the checkpoint it is lost what the log is to be"
                        + " repeated on";
    }

    /** The oldest record, unless there is damage between it and where recovery would begin. */
    private long beginLsn(Checkpoint checkpointOrNull) {
        if (checkpointOrNull == null) {
            return 0;
        }
        try (LogReader trial = LogReader.tolerant(files.storage(), files.directory(), files.databaseIdOrNull(), 0)) {
            boolean isMore = true;
            // Ends with the log.
            while (isMore && trial.positionLsn() < checkpointOrNull.redoScanLsn()) {
                isMore = trial.next() != null;
            }
            return trial.damage() == null ? 0 : checkpointOrNull.redoScanLsn();
        }
    }

    private void repeat(LogRecordView record) {
        pages.apply(record);
        repeatedCount++;
        if (repeatedCount % RECORDS_PER_REPORT == 0) {
            progress.progressed(Stage.REPEAT_LOG, repeatedCount, 0);
        }
    }

    private void noteUndoable(LogRecordView record) {
        RowName row = RowName.of(LeafChange.treeId(record.body()), LeafChange.key(record.body()));
        undone.computeIfAbsent(row, ignored -> new ArrayList<>()).add(record.lsn());
    }

    /** What the log was good for. */
    LogUse use() {
        return use;
    }

    /**
     * What a record would be if the transactions that did not commit had never changed it.
     *
     * @param leafLsn the last change that its leaf has
     * @return the record; null if it cannot be told
     */
    Stored committed(int treeId, byte[] key, long leafLsn, int flags, byte[] stored) {
        List<Long> lsns = undone.isEmpty() ? null : undone.get(RowName.of(treeId, key));
        if (lsns == null) {
            return new Stored(flags, stored);
        }
        int flagsThen = flags;
        byte[] then = stored;
        try {
            for (long lsn : lsns) {
                if (lsn > leafLsn) {
                    continue;
                }
                LogRecordView record = reader.read(lsn);
                switch (record.type()) {
                    case LogRecordType.INSERT -> flagsThen |= NodeLayout.SLOT_GHOST;
                    case LogRecordType.DELETE -> flagsThen &= ~NodeLayout.SLOT_GHOST;
                    default -> {
                        then = LeafChange.valueBefore(record.body(), then);
                        flagsThen = LeafChange.slotFlagsBefore(record.body());
                    }
                }
            }
        } catch (LockstepException | IndexOutOfBoundsException | NegativeArraySizeException doesNotFit) {
            return null;
        }
        return new Stored(flagsThen, then);
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
        }
    }
}
