package dev.lockstep.engine.recovery;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.OutOfFramesException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TruncatedFileException;
import dev.lockstep.engine.UnknownFormatException;
import dev.lockstep.engine.buffer.FlushPace;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.proof.DelegatingStorage;
import dev.lockstep.scheduler.Waiter;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class CheckpointTest {
    private static final long SEED = 65_537L;
    private static final Path DIRECTORY = Path.of("/checkpoints");
    private static final Path PATH = DIRECTORY.resolve(CheckpointLayout.FILE_NAME);
    private static final DatabaseId DATABASE_ID = new DatabaseId(0x11, 0x22);
    private static final Checkpoint FIRST = new Checkpoint(0x1000, 0x2000, 7, 3, 1, 70, new long[] {-1, 0x3f});
    private static final Checkpoint SECOND = new Checkpoint(0x5000, 0x6000, 9, 4, 1, 130, new long[] {-1, -1, 3});

    private static final double SPREAD = 0.5;

    private final FaultyStorage storage = new FaultyStorage(SEED);
    private final CheckpointFile file = new CheckpointFile(storage, DIRECTORY);

    /** A database of which only the log is real. */
    private static final class Source implements CheckpointSource {
        final AtomicLong flushCount = new AtomicLong();
        final Semaphore flushes = new Semaphore(0);
        final AtomicLong flushedUpToLsn = new AtomicLong();
        final AtomicLong activeLsn = new AtomicLong(NO_LSN);
        final AtomicLong recoveryLsn = new AtomicLong(NO_LSN);
        final AtomicReference<FlushPace> heardPace = new AtomicReference<>();
        final AtomicReference<RuntimeException> failure = new AtomicReference<>();
        final AtomicReference<OutOfMemoryError> shortage = new AtomicReference<>();

        /** Of the last state that was asked for. */
        final AtomicReference<WeakReference<long[]>> lastPageLsns = new AtomicReference<>();

        @Override
        public long oldestActiveLsn() {
            return activeLsn.get();
        }

        @Override
        public long oldestRecoveryLsn() {
            return recoveryLsn.get();
        }

        @Override
        public void flushDirty(long upToRecoveryLsn, FlushPace pace, Waiter waiter) {
            heardPace.set(pace);
            RuntimeException planned = failure.getAndSet(null);
            if (planned != null) {
                throw planned;
            }
            flushedUpToLsn.set(upToRecoveryLsn);
            flushCount.incrementAndGet();
            flushes.release();
        }

        @Override
        public Checkpoint snapshot(long redoScanLsn) {
            OutOfMemoryError planned = shortage.getAndSet(null);
            if (planned != null) {
                throw planned;
            }
            long[] pageLsns = new long[64];
            lastPageLsns.set(new WeakReference<>(pageLsns));
            return new Checkpoint(redoScanLsn, 0, 5, 6, 1, 64, new long[] {-1}, pageLsns);
        }
    }

    private final Source source = new Source();
    private final Waiter waiter = new Waiter();
    private final LogRecordBuffer buffer = new LogRecordBuffer();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final List<Throwable> fatalFailures = new CopyOnWriteArrayList<>();

    private Log openLog() {
        storage.createDirectories(DIRECTORY);
        LogOptions options = LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        return Log.open(storage, DIRECTORY, DATABASE_ID, options, LogRecordLayout.LSN_FIRST, FailureListener.IGNORE);
    }

    private Checkpointer start(Log log, long intervalBytes) {
        return start(log, intervalBytes, DatabaseOptions.TIMEOUT_MAX);
    }

    private Checkpointer start(Log log, long intervalBytes, Duration interval) {
        return start(log, intervalBytes, interval, log.tailLsn());
    }

    private Checkpointer start(Log log, long intervalBytes, Duration interval, long countsFromLsn) {
        CheckpointSchedule schedule = new CheckpointSchedule(intervalBytes, interval, SPREAD);
        return Checkpointer.start(log, file, DATABASE_ID, source, schedule, countsFromLsn, (cause, isFatal) -> {
            (isFatal ? fatalFailures : failures).add(cause);
        });
    }

    private long append(Log log, int bytes) {
        log.throttle(waiter);
        return log.append(buffer.begin(LogRecordType.SYSTEM, 0, 0, 0).putBytes(new byte[bytes], 0, bytes));
    }

    @Test
    void bytesOfTheFile() {
        file.write(DATABASE_ID, FIRST);
        ByteBuffer bytes = ByteBuffer.allocate(CheckpointLayout.fileBytes(2, 0));
        try (BlockFile opened = storage.open(PATH, Storage.OpenMode.READ_ONLY)) {
            assertEquals(CheckpointLayout.fileBytes(2, 0), opened.size());
            opened.read(bytes, 0);
        }
        StringJoiner found = new StringJoiner("\n");
        for (int at = CheckpointLayout.REDO_SCAN_LSN_OFFSET; at < bytes.capacity(); at += 8) {
            found.add(HexFormat.of()
                    .formatHex(Arrays.copyOfRange(bytes.array(), at, Math.min(at + 8, bytes.capacity()))));
        }
        assertEquals(
                """
                0010000000000000
                0020000000000000
                0700000000000000
                0300000001000000
                4600000002000000
                ffffffffffffffff
                3f00000000000000
                47fecb0a
                """
                        .stripTrailing(),
                found.toString());
    }

    @Test
    void whatIsWrittenIsReadBack() {
        assertFalse(file.exists());
        assertThrows(MissingFileException.class, () -> file.read(DATABASE_ID));
        file.write(DATABASE_ID, FIRST);
        assertTrue(file.exists());
        assertEquals(FIRST, file.read(DATABASE_ID));
        file.write(DATABASE_ID, SECOND);
        assertEquals(SECOND, file.read(DATABASE_ID));
        assertThrows(UnknownFormatException.class, () -> file.read(new DatabaseId(1, 1)));
    }

    @Test
    void theLsnsOfPagesAreKept() {
        Checkpoint known =
                new Checkpoint(4096, 8192, 7, 3, 1, 70, new long[] {-1, 63}, new long[] {0, 4104, 0, Long.MAX_VALUE});
        file.write(DATABASE_ID, known);
        assertEquals(known, file.read(DATABASE_ID));
        assertArrayEquals(
                new long[] {0, 4104, 0, Long.MAX_VALUE}, file.read(DATABASE_ID).pageLsns());
        file.write(DATABASE_ID, FIRST);
        assertEquals(0, file.read(DATABASE_ID).pageLsns().length);
    }

    /** Memory outside of the heap would grow with the database if the file were made as a whole. */
    @Test
    void aLongCheckpointIsWrittenInPieces() {
        List<Integer> writtenBytes = new ArrayList<>();
        Storage noting = new DelegatingStorage(storage) {
            @Override
            public BlockFile open(Path path, OpenMode mode) {
                return new DelegatingFile(super.open(path, mode)) {
                    @Override
                    public void write(ByteBuffer source, long position) {
                        writtenBytes.add(source.remaining());
                        super.write(source, position);
                    }
                };
            }
        };
        CheckpointFile notingFile = new CheckpointFile(noting, DIRECTORY);
        int wordsPerPiece = CheckpointWriter.PIECE_BYTES / Long.BYTES;
        // Beyond what is no LSN: up to a word before the end of a piece, to the end, and a word behind it.
        int otherWords = CheckpointLayout.fileBytes(1, 0) / Long.BYTES;
        for (int pageCount = 3 * wordsPerPiece - otherWords - 1; pageCount < 3 * wordsPerPiece + 2; pageCount++) {
            long[] pageLsns = new Random(SEED + pageCount).longs(pageCount).toArray();
            Checkpoint known = new Checkpoint(4096, 8192, 7, 3, 1, 70, new long[] {-1}, pageLsns);
            writtenBytes.clear();
            notingFile.write(DATABASE_ID, known);
            assertEquals(known, file.read(DATABASE_ID), "pageCount=" + pageCount);
            assertEquals(
                    CheckpointLayout.fileBytes(1, pageCount),
                    writtenBytes.stream().mapToInt(Integer::intValue).sum());
            assertTrue(Collections.max(writtenBytes) <= CheckpointWriter.PIECE_BYTES + CheckpointLayout.CHECKSUM_BYTES);
        }
    }

    @Test
    void damageIsReported() {
        file.write(DATABASE_ID, FIRST);
        int fileBytes = CheckpointLayout.fileBytes(2, 0);
        for (int at = CheckpointLayout.REDO_SCAN_LSN_OFFSET; at < fileBytes; at++) {
            storage.corrupt(PATH, at, 0x10);
            assertThrows(CorruptionException.class, () -> file.read(DATABASE_ID));
            storage.corrupt(PATH, at, 0x10);
        }
        assertEquals(FIRST, file.read(DATABASE_ID));
        try (BlockFile opened = storage.open(PATH, Storage.OpenMode.READ_WRITE)) {
            opened.truncate(fileBytes - 1);
        }
        assertThrows(TruncatedFileException.class, () -> file.read(DATABASE_ID));
    }

    @Test
    void aCrashAtEveryChangeLeavesTheOldCheckpointOrTheNewOne() {
        int changes = crashAtEveryChange(SECOND);
        assertTrue(changes > 4, "changes=" + changes);
        long[] pageLsns = new Random(SEED)
                .longs(3L * CheckpointWriter.PIECE_BYTES / Long.BYTES)
                .toArray();
        int changesInPieces =
                crashAtEveryChange(new Checkpoint(0x5000, 0x6000, 9, 4, 1, 130, new long[] {-1, -1, 3}, pageLsns));
        assertEquals(changes + 3, changesInPieces, "a change for each further piece");
    }

    /** Returns the number of the attempt that no crash has ended. */
    private int crashAtEveryChange(Checkpoint second) {
        file.write(DATABASE_ID, FIRST);
        boolean through = false;
        int change = 1;
        // Ends because a write has finitely many changes.
        while (!through) {
            storage.crashAtChange(change);
            try {
                file.write(DATABASE_ID, second);
                through = true;
            } catch (LockstepException e) {
                assertTrue(storage.isCrashed(), e::toString);
            }
            storage.crash();
            Checkpoint found = file.read(DATABASE_ID);
            assertTrue(found.equals(through ? second : FIRST) || found.equals(second), "change=" + change);
            file.write(DATABASE_ID, FIRST);
            change++;
        }
        return change;
    }

    @Test
    void enoughLogBringsACheckpointAndLetsSegmentsGo() {
        long interval = 200_000;
        try (Log log = openLog();
                Checkpointer checkpointer = start(log, interval)) {
            while (checkpointer.completedCount() < 12) {
                append(log, 1_000);
            }
            assertTrue(log.tailLsn() - LogRecordLayout.LSN_FIRST >= 12 * interval);
            checkpointer.checkpoint(false, waiter);
            long redoScanLsn = file.read(DATABASE_ID).redoScanLsn();
            assertEquals(redoScanLsn, checkpointer.lastRedoScanLsn());
            assertTrue(redoScanLsn > LogRecordLayout.LSN_FIRST + 12 * interval - interval);
            assertTrue(log.statistics().recycledSegmentCount() > 0);
        }
        assertEquals(List.of(), failures);
    }

    /** It has eight bytes for each page of the database, which memory would grow with. */
    @Test
    void aCheckpointThatIsWrittenIsNotKept() {
        try (Log log = openLog();
                Checkpointer checkpointer = start(log, Long.MAX_VALUE)) {
            checkpointer.checkpoint(true, waiter);
            requireCollected();
            assertEquals(64, checkpointer.holdLog(waiter).pageLsns().length, "whoever holds the log gets it");
            checkpointer.checkpoint(true, waiter);
            requireCollected();
            checkpointer.releaseLog();
        }
    }

    /** Ends when the collector has found that nobody has it any more, or with the time of the test. */
    private void requireCollected() {
        while (source.lastPageLsns.get().get() != null) {
            System.gc();
        }
    }

    /** Pages are written no faster than the log comes on, unless somebody waits for the checkpoint. */
    @Test
    void aCheckpointThatIsDueKeepsPaceWithTheLog() throws InterruptedException {
        long interval = 200_000;
        CheckpointSchedule schedule = new CheckpointSchedule(interval, DatabaseOptions.TIMEOUT_MAX, SPREAD);
        try (Log log = openLog()) {
            long beginLsn = log.tailLsn();
            boolean[] hurried = new boolean[1];
            CheckpointPace pace = new CheckpointPace(log, schedule, beginLsn, () -> hurried[0]);
            append(log, 50_000);
            assertFalse(pace.isAhead(0.5));
            assertTrue(pace.isAhead(0.6));
            // However slowly the log comes on, the next batch is not put off for ever.
            while (pace.isAhead(0.6)) {
                Thread.onSpinWait();
            }
            assertTrue(pace.isAhead(0.7));
            append(log, 50_000);
            assertFalse(pace.isAhead(1));

            pace = new CheckpointPace(log, schedule, log.tailLsn(), () -> hurried[0]);
            assertTrue(pace.isAhead(0.1));
            hurried[0] = true;
            assertFalse(pace.isAhead(0.1));

            pace = new CheckpointPace(
                    log, new CheckpointSchedule(interval, Duration.ofNanos(1), SPREAD), log.tailLsn(), () -> false);
            assertFalse(pace.isAhead(1), "time has come on");
        }
    }

    @Test
    void onlyACheckpointThatSomebodyWaitsForIsWrittenAtOnce() {
        try (Log log = openLog();
                Checkpointer checkpointer = start(log, 100_000)) {
            checkpointer.checkpoint(false, waiter);
            assertSame(FlushPace.AT_ONCE, source.heardPace.get());
            while (checkpointer.completedCount() < 2) {
                append(log, 1_000);
            }
            FlushPace pace = source.heardPace.get();
            assertNotSame(FlushPace.AT_ONCE, pace);
        }
    }

    @Test
    void timeBringsACheckpointIfThereWasLog() {
        try (Log log = openLog();
                Checkpointer checkpointer = start(log, Long.MAX_VALUE, Duration.ofMillis(1))) {
            checkpointer.checkpoint(false, waiter);
            checkpointer.checkpoint(false, waiter);
            assertEquals(2, checkpointer.completedCount(), "one that nobody asked for, of a log without a record");
            source.flushes.drainPermits();
            for (int i = 0; i < 3; i++) {
                append(log, 10);
                // Ends when a checkpoint begins, which time alone brings.
                source.flushes.acquireUninterruptibly();
            }
        }
        assertEquals(List.of(), failures);
    }

    /** As after a recovery: else a database that is killed again and again would repeat ever more log. */
    @Test
    void theLogBehindTheCheckpointThatThereIsCounts() {
        long interval = 200_000;
        try (Log log = openLog()) {
            while (log.tailLsn() < LogRecordLayout.LSN_FIRST + interval) {
                append(log, 1_000);
            }
            try (Checkpointer checkpointer =
                    start(log, interval, DatabaseOptions.TIMEOUT_MAX, LogRecordLayout.LSN_FIRST)) {
                // Ends when a checkpoint begins, which nobody asks for, and the log does not go on.
                source.flushes.acquireUninterruptibly();
                assertNotSame(FlushPace.AT_ONCE, source.heardPace.get());
                assertEquals(Long.MAX_VALUE, checkpointer.heldLsn());
            }
            try (Checkpointer checkpointer =
                    start(log, Long.MAX_VALUE, Duration.ofMillis(1), LogRecordLayout.LSN_FIRST)) {
                source.flushes.acquireUninterruptibly();
                assertEquals(Long.MAX_VALUE, checkpointer.heldLsn());
            }
        }
        assertEquals(List.of(), failures);
    }

    @Test
    void recoveryBeginsAtTheOldestThingThatIsNotSafe() {
        try (Log log = openLog();
                Checkpointer checkpointer = start(log, Long.MAX_VALUE)) {
            long first = append(log, 10);
            long second = append(log, 10);
            source.activeLsn.set(first);
            checkpointer.checkpoint(true, waiter);
            assertEquals(first, file.read(DATABASE_ID).redoScanLsn());
            assertEquals(Long.MAX_VALUE, source.flushedUpToLsn.get());
            source.activeLsn.set(CheckpointSource.NO_LSN);
            source.recoveryLsn.set(second);
            long tailLsn = log.tailLsn();
            checkpointer.checkpoint(false, waiter);
            Checkpoint checkpoint = file.read(DATABASE_ID);
            assertEquals(second, checkpoint.redoScanLsn());
            assertEquals(log.durableLsn(), checkpoint.durableLsn());
            assertTrue(source.flushedUpToLsn.get() <= tailLsn);
            source.recoveryLsn.set(CheckpointSource.NO_LSN);
            source.activeLsn.set(CheckpointSource.NO_LSN);
            append(log, 10);
            tailLsn = log.tailLsn();
            checkpointer.checkpoint(false, waiter);
            assertEquals(tailLsn, file.read(DATABASE_ID).redoScanLsn());
            assertEquals(5, file.read(DATABASE_ID).nextTransactionId());
            assertEquals(3, checkpointer.completedCount());
        }
    }

    /** Who looked at the tail of the log before a checkpoint, and told of it behind, has written nothing in between. */
    @Test
    void recoveryNeverBeginsBeforeTheCheckpointBefore() {
        try (Log log = openLog();
                Checkpointer checkpointer = start(log, 100_000)) {
            long early = append(log, 10);
            append(log, 10);
            checkpointer.checkpoint(false, waiter);
            long redoScanLsn = file.read(DATABASE_ID).redoScanLsn();
            assertTrue(redoScanLsn > early);
            source.activeLsn.set(early);
            checkpointer.checkpoint(false, waiter);
            assertEquals(redoScanLsn, file.read(DATABASE_ID).redoScanLsn());
        }
    }

    @Test
    void aFailedCheckpointLeavesTheOldOneAndTheNextIsTried() {
        RuntimeException planned = new OutOfFramesException("planned");
        try (Log log = openLog();
                Checkpointer checkpointer = start(log, 100_000)) {
            append(log, 10);
            checkpointer.checkpoint(false, waiter);
            Checkpoint before = file.read(DATABASE_ID);
            source.failure.set(planned);
            assertSame(planned, assertThrows(RuntimeException.class, () -> checkpointer.checkpoint(false, waiter)));
            assertEquals(before, file.read(DATABASE_ID));
            assertEquals(List.of(), failures);
            source.failure.set(planned);
            while (failures.isEmpty()) {
                append(log, 1_000);
            }
            assertEquals(List.of(planned), failures);
            assertEquals(List.of(), fatalFailures);
            long completed = checkpointer.completedCount();
            while (checkpointer.completedCount() == completed) {
                append(log, 1_000);
            }
        }
    }

    /** Its state takes as much memory as there are pages, and the checkpoint before it is as good as ever. */
    @Test
    void aCheckpointThatHasNoMemoryIsTriedAgain() {
        try (Log log = openLog();
                Checkpointer checkpointer = start(log, Long.MAX_VALUE)) {
            append(log, 10);
            checkpointer.checkpoint(false, waiter);
            Checkpoint before = file.read(DATABASE_ID);
            OutOfMemoryError planned = new OutOfMemoryError("planned");
            source.shortage.set(planned);
            StorageException told = assertThrows(StorageException.class, () -> checkpointer.checkpoint(false, waiter));
            assertSame(planned, told.getCause());
            assertEquals(before, file.read(DATABASE_ID));
            assertEquals(List.of(), fatalFailures);
            checkpointer.checkpoint(false, waiter);
            assertEquals(2, checkpointer.completedCount());
        }
    }

    @Test
    void afterCloseThereAreNoCheckpoints() {
        try (Log log = openLog()) {
            Checkpointer checkpointer = start(log, Long.MAX_VALUE);
            checkpointer.close();
            checkpointer.close();
            String message = assertThrows(DatabaseClosedException.class, () -> checkpointer.checkpoint(true, waiter))
                    .getMessage();
            assertTrue(message.contains(": databaseId=" + DATABASE_ID + ". Remedy: "), message);
        }
    }

    @Test
    void afterTheLogHasFailedACheckpointSaysSo() {
        try (Log log = openLog();
                Checkpointer checkpointer = start(log, Long.MAX_VALUE)) {
            append(log, 10);
            storage.failAtChange(1, true);
            assertThrows(LockstepException.class, () -> checkpointer.checkpoint(true, waiter));
            assertThrows(DatabaseClosedException.class, () -> checkpointer.checkpoint(true, waiter));
        }
        assertEquals(1, fatalFailures.size());
    }

    /** Nobody knows which of the two checkpoints is on the medium, and the disk is not asked again. */
    @Test
    void aFailedForceIsFatal() {
        try (Log log = openLog();
                Checkpointer checkpointer = start(log, Long.MAX_VALUE)) {
            append(log, 10);
            log.ensureDurable(log.tailLsn() - 1, waiter);
            // Creation, write, force of the new file.
            storage.failAtChange(3, false);
            assertThrows(DatabaseFailedException.class, () -> checkpointer.checkpoint(true, waiter));
            assertThrows(DatabaseClosedException.class, () -> checkpointer.checkpoint(true, waiter));
        }
        assertEquals(1, fatalFailures.size());
        assertEquals(List.of(), failures);
    }
}
