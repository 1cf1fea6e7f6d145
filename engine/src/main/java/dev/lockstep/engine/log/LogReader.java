package dev.lockstep.engine.log;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.Storage;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * Reads the log when the database is opened: forward from a position to the last valid seal, and at any position in
 * between.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Only records of batches whose seal is valid are handed out. What lies behind the last one was never
 *       acknowledged, and is dropped.
 *   <li>Only the end may be missing: a segment that does not reach up to the next one, a valid seal that says that the
 *       log was durable beyond the end found, and an end before {@code knownDurableLsn} are damage, reported as
 *       {@link CorruptionException}.
 *   <li>What was handed out is on the medium, unless the log is read-only: every segment is forced before
 *       anything of it is handed out, because what a killed process wrote may be in the memory of the operating system
 *       only.
 *   <li>A reader that is {@code tolerant} takes damage for the end of the log, and tells it in {@code damage}.
 *   <li>{@code aheadLsn} lies in the segment that is being scanned, at a record or at its end, or behind
 *       {@code nextLsn}, where it counts for nothing.
 * </ul>
 *
 * <p>Not thread-safe. Memory: two segments at most.
 */
public final class LogReader implements AutoCloseable {
    private final Storage storage;
    private final Path directory;
    private final DatabaseId databaseId;
    private final boolean readOnly;
    private final boolean tolerant;
    private final long knownDurableLsn;

    /** Start LSNs of the segments from the one that contains the first position on, ascending. */
    private final long[] startLsns;

    private final LogSegmentImage scanned = new LogSegmentImage();
    private final LogSegmentImage random = new LogSegmentImage();
    private final LogRecordView scanView = new LogRecordView();
    private final LogRecordView randomView = new LogRecordView();
    private final LogRecordView aheadView = new LogRecordView();
    private int scannedIndex;
    private int randomIndex = -1;
    private long nextLsn;
    private long aheadLsn;
    private long endLsn = -1;
    private LockstepException damage;

    /**
     * Begins to read.
     *
     * @param storage the file system
     * @param directory the directory of the database
     * @param databaseId what the log's files must belong to
     * @param fromLsn where the scan begins: the LSN of a record or the end of the log
     * @param knownDurableLsn up to where the log is known to have been durable, for example when the checkpoint was
     *     written; 0 if nothing is known
     * @param readOnly whether nothing may be forced
     * @throws CorruptionException if the segment that contains {@code fromLsn} is missing or damaged before it
     */
    public LogReader(
            Storage storage,
            Path directory,
            DatabaseId databaseId,
            long fromLsn,
            long knownDurableLsn,
            boolean readOnly) {
        this(storage, directory, databaseId, fromLsn, knownDurableLsn, readOnly, false);
    }

    private LogReader(
            Storage storage,
            Path directory,
            DatabaseId databaseId,
            long fromLsn,
            long knownDurableLsn,
            boolean readOnly,
            boolean tolerant) {
        this.storage = storage;
        this.directory = directory;
        this.databaseId = databaseId;
        this.knownDurableLsn = knownDurableLsn;
        this.readOnly = readOnly;
        this.tolerant = tolerant;
        nextLsn = fromLsn;
        startLsns = segmentsFrom(fromLsn);
        try {
            begin(fromLsn);
        } catch (RuntimeException | Error e) {
            // Nobody has this reader, so nobody else frees the segment that it has read.
            close();
            throw e;
        }
    }

    private void begin(long fromLsn) {
        if (!loadScanned(0)) {
            return;
        }
        long lsn = scanned.startLsn();
        // Ends because every record is longer than nothing.
        while (lsn < fromLsn && lsn < scanned.validEndLsn()) {
            lsn = scanned.nextLsn(lsn);
        }
        if (tolerant) {
            nextLsn = lsn;
        } else if (lsn != fromLsn) {
            throw new CorruptionException(Message.of("There is no log record where recovery has to begin")
                    .with("directory", directory)
                    .with("lsn", fromLsn)
                    .with("segmentStartLsn", scanned.startLsn())
                    .with("segmentEndLsn", scanned.validEndLsn())
                    .remedy("Restore the database from a backup."));
        }
    }

    /**
     * Begins to read what is left of a log, without touching it. The scan begins at the first record that does not lie
     * before {@code fromLsn}, and ends where the log ends or is damaged, which {@link #damage} tells.
     *
     * @param fromLsn any position; one before the first segment stands for the begin of that
     * @throws CorruptionException if there is no segment
     */
    public static LogReader tolerant(Storage storage, Path directory, DatabaseId databaseId, long fromLsn) {
        long[] all = segments(storage, directory);
        long from = all.length == 0 ? fromLsn : Math.max(fromLsn, all[0]);
        return new LogReader(storage, directory, databaseId, from, 0, true, true);
    }

    /**
     * Where the segments in a directory start, ascending; those of other databases too, of which names tell nothing.
     */
    public static long[] segments(Storage storage, Path directory) {
        return storage.list(directory).stream()
                .map(LogSegmentLayout::startLsn)
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .sorted()
                .toArray();
    }

    /** What a tolerant reader has met at the end of what it could read; null if the log ended there. */
    public LockstepException damage() {
        return damage;
    }

    /**
     * Moves on to the next record.
     *
     * @return the record, in a view that the next call moves; null at the end of the log
     * @throws CorruptionException if something in the middle of the log is damaged
     */
    public LogRecordView next() {
        // Ends because the position only moves forward, up to the end of the last segment.
        while (true) {
            if (nextLsn >= scanned.validEndLsn()) {
                if (damage != null || scannedIndex == startLsns.length - 1) {
                    endLsn = damage == null ? scanned.validEndLsn() : nextLsn;
                    return null;
                }
                if (loadScanned(scannedIndex + 1)) {
                    nextLsn = scanned.startLsn();
                }
                continue;
            }
            long lsn = nextLsn;
            nextLsn = scanned.nextLsn(lsn);
            if (scanned.type(lsn) <= LogRecordType.APPLICATION_MAX) {
                scanned.view(lsn, scanView);
                return scanView;
            }
        }
    }

    /**
     * Looks at a record that {@link #next} will come to, each once, without moving the scan. What lies in the next
     * segment is not looked at before the scan is there.
     *
     * @param limitLsn where to stop, exclusive
     * @return the record, in a view that the next call moves; null if there is none before {@code limitLsn} that the
     *     reader has in memory
     */
    public LogRecordView nextAhead(long limitLsn) {
        aheadLsn = Math.max(aheadLsn, nextLsn);
        long end = Math.min(limitLsn, scanned.validEndLsn());
        // Ends because every record is longer than nothing.
        while (aheadLsn < end) {
            long lsn = aheadLsn;
            aheadLsn = scanned.nextLsn(lsn);
            if (scanned.type(lsn) <= LogRecordType.APPLICATION_MAX) {
                scanned.view(lsn, aheadView);
                return aheadView;
            }
        }
        return null;
    }

    /** Segments from the one on with which the scan began. */
    public int segmentCount() {
        return startLsns.length;
    }

    /** Where the next record would be read. */
    public long positionLsn() {
        return nextLsn;
    }

    /**
     * Where the log ends: at the last valid seal, where {@link Log#open} goes on.
     *
     * @throws IllegalStateException before {@link #next()} has returned null
     */
    public long endLsn() {
        if (endLsn < 0) {
            throw new IllegalStateException("the end of the log is not reached yet: nextLsn=" + nextLsn);
        }
        return endLsn;
    }

    /**
     * Reads one record, without moving the scan.
     *
     * @param lsn of a record in the part of the log that was scanned
     * @return the record, in a view that the next call moves
     * @throws CorruptionException if there is no such record
     */
    public LogRecordView read(long lsn) {
        LogSegmentImage image = imageOf(lsn);
        if (image == null || image.type(lsn) > LogRecordType.APPLICATION_MAX) {
            throw new CorruptionException(Message.of("There is no log record where another one refers to")
                    .with("directory", directory)
                    .with("lsn", lsn)
                    .remedy("Restore the database from a backup."));
        }
        image.view(lsn, randomView);
        return randomView;
    }

    /** Frees the memory. A second call does nothing. */
    @Override
    public void close() {
        scanned.close();
        random.close();
    }

    private LogSegmentImage imageOf(long lsn) {
        if (lsn % LogRecordLayout.ALIGNMENT_BYTES != 0) {
            return null;
        }
        if (scanned.contains(lsn)) {
            return scanned;
        }
        int found = Arrays.binarySearch(startLsns, lsn);
        int index = found >= 0 ? found : -found - 2;
        if (index < 0) {
            return null;
        }
        if (index != randomIndex) {
            randomIndex = -1;
            random.load(storage, directory, databaseId, startLsns[index], limitLsn(index), true);
            randomIndex = index;
        }
        return random.contains(lsn) ? random : null;
    }

    /** False if nothing of the segment can be read, which only a tolerant reader bears. */
    private boolean loadScanned(int index) {
        try {
            scanned.load(storage, directory, databaseId, startLsns[index], limitLsn(index), readOnly);
        } catch (LockstepException failure) {
            if (!tolerant) {
                throw failure;
            }
            damage = failure;
            scanned.close();
            return false;
        }
        scannedIndex = index;
        boolean last = index == startLsns.length - 1;
        long contradictedLsn = scanned.contradictedDurableLsn();
        long expectedLsn = Math.max(contradictedLsn, last ? knownDurableLsn : limitLsn(index));
        if (scanned.validEndLsn() < expectedLsn) {
            CorruptionException missing =
                    new CorruptionException(Message.of("The log is damaged: a part of it that was on disk is missing")
                            .with("file", LogSegmentLayout.path(directory, startLsns[index]))
                            .with("validEndLsn", scanned.validEndLsn())
                            .with("expectedEndLsn", expectedLsn)
                            .remedy("Restore the database from a backup."));
            if (!tolerant) {
                throw missing;
            }
            damage = missing;
        }
        return true;
    }

    private long limitLsn(int index) {
        return index == startLsns.length - 1 ? Long.MAX_VALUE : startLsns[index + 1];
    }

    private long[] segmentsFrom(long fromLsn) {
        long[] all = segments(storage, directory);
        int first = -1;
        for (int i = 0; i < all.length && all[i] <= fromLsn; i++) {
            first = i;
        }
        if (first < 0) {
            throw new CorruptionException(Message.of("The log segment where recovery has to begin is missing")
                    .with("directory", directory)
                    .with("lsn", fromLsn)
                    .with("segmentCount", all.length)
                    .remedy("Restore the database from a backup."));
        }
        return Arrays.copyOfRange(all, first, all.length);
    }
}
