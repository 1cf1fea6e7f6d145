package dev.lockstep.engine.log;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.file.BlockAppender;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.Storage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;

/**
 * The files of the log as the writer sees them: the one it writes to, and those before it.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code current} holds {@code [startLsn, endLsn)}; {@code former} are the start LSNs of the files before it,
 *       ascending.
 *   <li>A file gets the name of a segment only when its header is on the medium, and it had no such name while it
 *       holds anything of a segment with the same start LSN. So no stale byte of a crashed run is taken for the log.
 *   <li>{@code recyclable} are files of {@code former} times that nobody needs; at most
 *       {@code recyclableSegmentsMax}. They keep their names, which recovery ignores, until they are used again.
 *   <li>{@code undeleted} are such files that the system would not delete. They are not used again, since it may not
 *       rename them either; each time that segments are let go one of them is tried again, and then the next.
 *   <li>Blocks of {@code current} below {@code allocatedBytes} exist, so that forcing records there writes no metadata.
 * </ul>
 *
 * <p>Belongs to the writer thread, but for the two counters.
 */
final class LogSegments implements AutoCloseable {
    /**
     * Files kept for reuse beside as many as a checkpoint sets free at once, for one that comes late. To write to a new
     * file takes the kernel several times as long as to write an old one anew: it allocates the room, twice fills its
     * page cache (zeros first, see {@link #PREALLOCATE_BYTES}), and drops what it knew of the deleted file.
     */
    static final int RECYCLABLE_SEGMENTS_MORE = 2;

    /**
     * How far ahead a new file is filled with zeros. One in hundreds of small forces then writes metadata; filling a
     * whole segment at once would stall commits for as long as that takes.
     */
    static final int PREALLOCATE_BYTES = 512 * 1024;

    private static final VarHandle SEGMENT_COUNT;
    private static final VarHandle RECYCLED_SEGMENT_COUNT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SEGMENT_COUNT = lookup.findVarHandle(LogSegments.class, "segmentCount", long.class);
            RECYCLED_SEGMENT_COUNT = lookup.findVarHandle(LogSegments.class, "recycledSegmentCount", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Storage storage;
    private final Path directory;
    private final DatabaseId databaseId;
    private final int segmentBytes;
    private final int recyclableSegmentsMax;
    private final FailureListener failureListener;
    private final BlockAppender appender = new BlockAppender();
    private final ByteBuffer zeros =
            ByteBuffer.allocateDirect(PREALLOCATE_BYTES + BlockFile.BLOCK_BYTES).alignedSlice(BlockFile.BLOCK_BYTES);
    private final Deque<Long> former = new ArrayDeque<>();
    private final Deque<Long> recyclable = new ArrayDeque<>();
    private final Deque<Long> undeleted = new ArrayDeque<>();

    private BlockFile current;
    private long startLsn;
    private long allocatedBytes;

    @SuppressWarnings("unused")
    private long segmentCount;

    @SuppressWarnings("unused")
    private long recycledSegmentCount;

    LogSegments(
            Storage storage,
            Path directory,
            DatabaseId databaseId,
            LogOptions options,
            FailureListener failureListener) {
        this.storage = storage;
        this.directory = directory;
        this.databaseId = databaseId;
        segmentBytes = options.segmentBytes();
        recyclableSegmentsMax = recyclableSegmentsMax(options);
        this.failureListener = failureListener;
    }

    /** Files kept for reuse: what a checkpoint sets free at once, as far as the options tell, and some more. */
    static int recyclableSegmentsMax(LogOptions options) {
        return (int) Math.ceilDiv(options.recycledBytes(), options.segmentBytes()) + RECYCLABLE_SEGMENTS_MORE;
    }

    /** Bytes of the stream that one segment holds. */
    static long capacityBytes(int segmentBytes) {
        return (long) segmentBytes - LogSegmentLayout.HEADER_BYTES;
    }

    /** Where the current segment ends when it is full. */
    long endLsn() {
        return startLsn + capacityBytes(segmentBytes);
    }

    /** Segments begun since the log was opened. A count read late is as good as one read early. */
    long segmentCount() {
        return (long) SEGMENT_COUNT.getOpaque(this);
    }

    /** How many of them took the file of an old one. A count read late is as good as one read early. */
    long recycledSegmentCount() {
        return (long) RECYCLED_SEGMENT_COUNT.getOpaque(this);
    }

    /** Begins a segment at {@code lsn}, behind what is there. */
    void start(long lsn) {
        storage.delete(directory.resolve(LogSegmentLayout.SPARE_NAME));
        for (Path path : storage.list(directory)) {
            OptionalLong segmentStartLsn = LogSegmentLayout.startLsn(path);
            if (segmentStartLsn.isPresent()) {
                adopt(path, segmentStartLsn.getAsLong(), lsn);
            }
        }
        forceLastFormer();
        begin(lsn);
    }

    /** Ends the current segment, which is full and forced, and begins the next one. */
    void startNext() {
        long nextLsn = endLsn();
        current.close();
        current = null;
        former.addLast(startLsn);
        begin(nextLsn);
    }

    /** Writes {@code [fromLsn, endLsn)} of the ring. */
    void write(LogRing ring, long fromLsn, long endLsn) {
        long fileEnd = LogSegmentLayout.filePosition(startLsn, endLsn);
        if (fileEnd > allocatedBytes) {
            preallocate(fileEnd);
        }
        ring.write(appender, fromLsn, endLsn);
    }

    /** Returns when everything written to the current segment is on the medium. */
    void force() {
        current.force(false);
    }

    /**
     * Sets free segments that end at {@code lsn} or before: all of them, or those up to the first for which a file has
     * to be deleted.
     *
     * @return whether more of them are left; not where a file could not be deleted: the rest waits for the next time
     */
    boolean recycleBefore(long lsn) {
        // Ends because every round takes one segment away.
        while (endsBefore(lsn)) {
            recyclable.addLast(former.removeFirst());
            if (recyclable.size() > recyclableSegmentsMax) {
                // The oldest, so that those who read what is left of the log find no gap in it.
                return delete(recyclable.removeFirst()) && (endsBefore(lsn) || !undeleted.isEmpty());
            }
        }
        return !undeleted.isEmpty() && delete(undeleted.removeFirst()) && !undeleted.isEmpty();
    }

    /** Deletes a file that nobody needs, or keeps it for a later attempt and tells why; returns whether it is gone. */
    private boolean delete(long segmentStartLsn) {
        try {
            storage.delete(LogSegmentLayout.path(directory, segmentStartLsn));
            return true;
        } catch (StorageException | DiskFullException e) {
            undeleted.addLast(segmentStartLsn);
            failureListener.failed(e, false);
            return false;
        }
    }

    /** Whether there is a former segment, and the first one ends at {@code lsn} or before. */
    private boolean endsBefore(long lsn) {
        if (former.isEmpty()) {
            return false;
        }
        long first = former.removeFirst();
        long endLsn = former.isEmpty() ? startLsn : former.getFirst();
        former.addFirst(first);
        return endLsn <= lsn;
    }

    @Override
    public void close() {
        try {
            if (current != null) {
                current.close();
                current = null;
            }
        } finally {
            appender.close();
        }
    }

    private void adopt(Path path, long segmentStartLsn, long lsn) {
        if (segmentStartLsn > lsn) {
            throw new CorruptionException(Message.of("A log segment lies behind the end of the log")
                    .with("file", path)
                    .with("endLsn", lsn)
                    .remedy("Restore the database from a backup."));
        }
        // A segment that starts at lsn holds nothing that counts, and is replaced.
        if (segmentStartLsn < lsn) {
            former.addLast(segmentStartLsn);
        }
    }

    /**
     * What recovery read from the last segment may so far be only in the memory of the operating system. Once a later
     * segment exists it must not get lost any more.
     */
    private void forceLastFormer() {
        if (!former.isEmpty()) {
            Path path = LogSegmentLayout.path(directory, former.getLast());
            try (BlockFile file = storage.open(path, Storage.OpenMode.READ_WRITE)) {
                file.force(true);
            }
        }
    }

    private void begin(long lsn) {
        Path spare = directory.resolve(LogSegmentLayout.SPARE_NAME);
        boolean recycled = takeRecyclable(spare);
        Storage.OpenMode mode = recycled ? Storage.OpenMode.READ_WRITE : Storage.OpenMode.CREATE;
        try (BlockFile file = storage.open(spare, mode)) {
            FileHeader header = FileHeader.of(FileFormat.LOG, databaseId, lsn);
            file.write(header.encode(LogSegmentLayout.HEADER_BYTES), 0);
            file.force(true);
        }
        // Closed in between, because not every platform renames open files.
        Path path = LogSegmentLayout.path(directory, lsn);
        storage.atomicReplace(spare, path);
        storage.forceDirectory(directory);
        current = storage.open(path, Storage.OpenMode.READ_WRITE);
        startLsn = lsn;
        allocatedBytes = current.size();
        appender.begin(current, LogSegmentLayout.HEADER_BYTES, segmentBytes);
        SEGMENT_COUNT.setOpaque(this, segmentCount() + 1);
        if (recycled) {
            RECYCLED_SEGMENT_COUNT.setOpaque(this, recycledSegmentCount() + 1);
        }
    }

    /** Renames a file that may be reused to {@code spare}; returns whether there was one. */
    private boolean takeRecyclable(Path spare) {
        // Ends because every round takes one file away.
        while (!recyclable.isEmpty()) {
            long segmentStartLsn = recyclable.removeFirst();
            Path path = LogSegmentLayout.path(directory, segmentStartLsn);
            long bytes;
            try (BlockFile file = storage.open(path, Storage.OpenMode.READ_ONLY)) {
                bytes = file.size();
            }
            // Files of another size come from a time of other options.
            if (bytes <= segmentBytes) {
                storage.atomicReplace(path, spare);
                // Else the old name could come back beside the new one, and a later reuse overwrite the log.
                storage.forceDirectory(directory);
                return true;
            }
            delete(segmentStartLsn);
        }
        return false;
    }

    /** Fills the file with zeros beyond {@code fileEnd}, unless a batch is so long that it allocates for itself. */
    private void preallocate(long fileEnd) {
        if (fileEnd - allocatedBytes >= PREALLOCATE_BYTES) {
            allocatedBytes = fileEnd;
            return;
        }
        int bytes = (int) Math.min(PREALLOCATE_BYTES, segmentBytes - allocatedBytes);
        zeros.clear().limit(bytes);
        current.writeUncached(zeros, allocatedBytes);
        allocatedBytes += bytes;
    }
}
