package dev.lockstep.engine.log;

import static dev.lockstep.engine.log.LogRecordLayout.LSN_FIRST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.RecordTooLargeException;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.proof.DelegatingStorage;
import dev.lockstep.scheduler.Waiter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LogTest {
    private static final long SEED = 20_251_120L;

    private final LogFixture fixture = new LogFixture(SEED);
    private final LogRecordBuffer buffer = new LogRecordBuffer();
    private final Waiter waiter = new Waiter();
    private final List<Long> lsns = new ArrayList<>();
    private final List<Long> numbers = new ArrayList<>();

    private void append(Log log, long number, int fillBytes) {
        log.throttle(waiter);
        lsns.add(log.append(LogFixture.record(buffer, number, fillBytes)));
        numbers.add(number);
    }

    private void assertContent(LogFixture.Content content) {
        assertEquals(lsns, content.lsns());
        assertEquals(numbers, content.numbers());
    }

    /** Which segment each record lies in, as its start. */
    private static long segmentOf(long lsn, long[] startLsns) {
        long found = -1;
        for (long start : startLsns) {
            found = start <= lsn ? start : found;
        }
        return found;
    }

    @Test
    void aReaderLooksAheadOfItsScan() {
        Random random = new Random(SEED);
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            for (int i = 0; i < 2_000; i++) {
                append(log, i, random.nextInt(600));
            }
        }
        long[] startLsns = LogReader.segments(fixture.storage, LogFixture.DIRECTORY);
        assertTrue(startLsns.length >= 3, "segments=" + startLsns.length);
        List<Long> ahead = new ArrayList<>();
        List<Long> expected = new ArrayList<>();
        try (LogReader reader = fixture.reader(LSN_FIRST, 0)) {
            int index = 0;
            for (LogRecordView view = reader.next(); view != null; view = reader.next()) {
                assertEquals(lsns.get(index), view.lsn());
                long limitLsn = reader.positionLsn() + random.nextInt(2_000);
                int from = Math.max(index + 1, expected.isEmpty() ? 0 : lsns.indexOf(expected.getLast()) + 1);
                for (int i = from; i < lsns.size() && lsns.get(i) < limitLsn; i++) {
                    if (segmentOf(lsns.get(i), startLsns) == segmentOf(view.lsn(), startLsns)) {
                        expected.add(lsns.get(i));
                    }
                }
                for (LogRecordView next = reader.nextAhead(limitLsn); next != null; next = reader.nextAhead(limitLsn)) {
                    assertEquals(numbers.get(lsns.indexOf(next.lsn())), LogFixture.number(next));
                    ahead.add(next.lsn());
                }
                assertEquals(expected, ahead);
                assertEquals(numbers.get(index), LogFixture.number(view));
                index++;
            }
            assertEquals(lsns.size(), index);
        }
        assertTrue(ahead.size() > lsns.size() * 9 / 10, "few records were seen ahead: " + ahead.size());
    }

    @Test
    void recordsOfAllSizesSurviveAcrossRingsAndSegments() {
        Random random = new Random(SEED);
        long endLsn;
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            for (int i = 0; i < 4_000; i++) {
                boolean large = random.nextInt(50) == 0;
                int room = LogRecordLayout.RECORD_BYTES_MAX - LogRecordLayout.HEADER_BYTES - Long.BYTES;
                append(log, i, random.nextInt(large ? room + 1 : 300));
                if (random.nextInt(100) == 0) {
                    log.awaitDurable(lsns.getLast(), waiter);
                    assertTrue(lsns.getLast() < log.durableLsn());
                }
            }
            endLsn = log.tailLsn();
            assertTrue(log.statistics().segmentCount() > 10);
            assertEquals(4_000, log.statistics().recordCount());
        }
        LogFixture.Content content = fixture.read(LSN_FIRST, endLsn);
        assertContent(content);
        assertTrue(content.endLsn() >= endLsn);
    }

    @Test
    void recordsOfSeveralTransactionsKeepTheirChainsInOneAppend() {
        List<Long> previous = new ArrayList<>();
        long[] last = new long[5];
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            for (int run = 0; run < 200; run++) {
                int[] offsets = new int[last.length];
                for (int i = 0; i < last.length; i++) {
                    if (i > 0) {
                        buffer.goBehind();
                    }
                    long number = numbers.size();
                    LogFixture.record(buffer, number, run % 50 + i, last[i]);
                    offsets[i] = buffer.lastOffset();
                    numbers.add(number);
                    previous.add(last[i]);
                }
                assertEquals(last.length, buffer.recordCount());
                log.throttle(waiter);
                long firstLsn = log.append(buffer);
                for (int i = 0; i < last.length; i++) {
                    last[i] = firstLsn + offsets[i];
                    lsns.add(last[i]);
                }
            }
            assertEquals(numbers.size(), log.statistics().recordCount());
        }
        assertContent(fixture.read(LSN_FIRST, 0));
        try (LogReader reader = fixture.reader(LSN_FIRST, 0)) {
            int at = 0;
            for (LogRecordView view = reader.next(); view != null; view = reader.next()) {
                assertEquals(previous.get(at++), view.previousLsn());
            }
            assertEquals(numbers.size(), at);
        }
        LogFixture.record(buffer, 0, 8, 0);
        assertEquals(1, buffer.recordCount(), "only the record that begins next");
    }

    @Test
    void recordsOfARunLieBehindEachOtherAndAreChained() {
        Random random = new Random(SEED);
        List<Long> previous = new ArrayList<>();
        long last = 0;
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            for (int run = 0; run < 800; run++) {
                int count = 1 + random.nextInt(12);
                List<Integer> offsets = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    long number = numbers.size();
                    LogFixture.record(
                            buffer, number, random.nextInt(900), i == 0 ? last : LogRecordBuffer.RECORD_BEFORE);
                    offsets.add(buffer.lastOffset());
                    numbers.add(number);
                }
                assertEquals(count, buffer.recordCount());
                log.throttle(waiter);
                long firstLsn = log.append(buffer);
                for (int i = 0; i < count; i++) {
                    assertEquals(
                            i + 1 < count ? offsets.get(i + 1) : buffer.recordBytes() + 7 & -8,
                            buffer.offsetBehind(offsets.get(i)));
                    previous.add(last);
                    last = firstLsn + offsets.get(i);
                    lsns.add(last);
                }
            }
            assertEquals(numbers.size(), log.statistics().recordCount());
            assertTrue(log.statistics().segmentCount() > 5);
        }
        assertContent(fixture.read(LSN_FIRST, 0));
        try (LogReader reader = fixture.reader(LSN_FIRST, 0)) {
            int at = 0;
            for (LogRecordView view = reader.next(); view != null; view = reader.next()) {
                assertEquals(previous.get(at++), view.previousLsn());
            }
            assertEquals(previous.size(), at);
        }
    }

    @Test
    void anyRecordIsReadByItsLsn() {
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            for (int i = 0; i < 3_000; i++) {
                append(log, i, 400);
            }
        }
        Random random = new Random(SEED);
        try (LogReader reader = fixture.reader(LSN_FIRST, 0)) {
            while (reader.next() != null) {
                assertEquals(0, LogFixture.number(reader.read(lsns.getFirst())));
            }
            for (int i = 0; i < 500; i++) {
                int index = random.nextInt(lsns.size());
                assertEquals(numbers.get(index), LogFixture.number(reader.read(lsns.get(index))));
            }
            assertThrows(CorruptionException.class, () -> reader.read(reader.endLsn()));
            assertThrows(CorruptionException.class, () -> reader.read(LSN_FIRST - 8));
            assertThrows(CorruptionException.class, () -> reader.read(lsns.getFirst() + 1));
        }
    }

    @Test
    void aScanMayBeginAtAnyRecordAndAtTheEnd() {
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            for (int i = 0; i < 1_500; i++) {
                append(log, i, 400);
            }
        }
        long endLsn = fixture.read(LSN_FIRST, 0).endLsn();
        for (int index = 0; index < lsns.size(); index += 97) {
            LogFixture.Content content = fixture.read(lsns.get(index), endLsn);
            assertEquals(numbers.subList(index, numbers.size()), content.numbers());
        }
        assertEquals(List.of(), fixture.read(endLsn, endLsn).numbers());
        assertThrows(CorruptionException.class, () -> fixture.read(endLsn, endLsn + 8));
        assertThrows(CorruptionException.class, () -> fixture.read(endLsn + 8, 0));
        assertThrows(CorruptionException.class, () -> fixture.read(lsns.get(5) + 8, 0));
    }

    @Test
    void theLogGoesOnWhereItEnded() {
        long startLsn = LSN_FIRST;
        for (int round = 0; round < 5; round++) {
            try (Log log = fixture.open(LogFixture.small(LogOptions.async()), startLsn)) {
                for (int i = 0; i < 700; i++) {
                    append(log, round * 700L + i, 200);
                }
            }
            LogFixture.Content content = fixture.read(LSN_FIRST, 0);
            assertContent(content);
            startLsn = content.endLsn();
        }
    }

    @Test
    void segmentsNoLongerNeededAreUsedAgainWithTheirStaleBytes() {
        LogOptions options = LogFixture.small(LogOptions.sync()).withRecycledBytes(4L * LogOptions.SEGMENT_BYTES_MIN);
        assertEquals(6, LogSegments.recyclableSegmentsMax(options));
        long recycled;
        try (Log log = fixture.open(options, LSN_FIRST)) {
            for (int i = 0; i < 12_000; i++) {
                append(log, i, 300 + i % 50);
                if (i % 500 == 499) {
                    log.awaitDurable(lsns.getLast(), waiter);
                    log.deleteBefore(lsns.getLast());
                }
            }
            recycled = log.statistics().recycledSegmentCount();
        }
        assertTrue(recycled > 0);
        // The segment in use, one that reaches into it, those kept for reuse, and one that waits for the writer.
        int fileCountMax = LogSegments.recyclableSegmentsMax(options) + 3;
        assertTrue(fixture.storage.list(LogFixture.DIRECTORY).size() <= fileCountMax);
        int from = lsns.size() - 500;
        LogFixture.Content content = fixture.read(lsns.get(from), 0);
        assertEquals(numbers.subList(from, numbers.size()), content.numbers());
    }

    @Test
    void whoeverWaitsFindsTheSegmentsGone() {
        LogOptions options = LogFixture.small(LogOptions.sync()).withRecycledBytes(4L * LogOptions.SEGMENT_BYTES_MIN);
        try (Log log = fixture.open(options, LSN_FIRST)) {
            for (int round = 0; round < 3; round++) {
                int begin = numbers.size();
                for (int i = begin; i < begin + 9_000; i++) {
                    append(log, i, 300);
                }
                log.awaitDurable(lsns.getLast(), waiter);
                log.deleteBefore(lsns.getLast());
                log.awaitDeleted(lsns.getLast(), waiter);
                // The segment in use, one that reaches into it, and those kept for reuse.
                int fileCount = fixture.storage.list(LogFixture.DIRECTORY).size();
                assertTrue(fileCount <= LogSegments.recyclableSegmentsMax(options) + 2, "fileCount=" + fileCount);
            }
            log.awaitDeleted(LSN_FIRST, waiter);
        }
    }

    /** Those kept for reuse are the newest: who reads all that is left of the log finds no gap in it. */
    @Test
    void whatIsLeftOfTheLogHasNoGap() {
        LogOptions options = LogFixture.small(LogOptions.sync()).withRecycledBytes(LogOptions.SEGMENT_BYTES_MIN);
        try (Log log = fixture.open(options, LSN_FIRST)) {
            for (int i = 0; i < 9_000; i++) {
                append(log, i, 300);
            }
            log.awaitDurable(lsns.getLast(), waiter);
            log.deleteBefore(lsns.getLast());
            log.awaitDeleted(lsns.getLast(), waiter);
        }
        try (LogReader reader =
                LogReader.tolerant(fixture.storage, LogFixture.DIRECTORY, LogFixture.DATABASE_ID, LSN_FIRST)) {
            long last = -1;
            for (LogRecordView view = reader.next(); view != null; view = reader.next()) {
                last = LogFixture.number(view);
            }
            assertNull(reader.damage());
            assertEquals(numbers.getLast(), last);
            assertTrue(reader.segmentCount() > LogSegments.recyclableSegmentsMax(options));
        }
    }

    @Test
    void compensationRecordsNameWhatToUndoNext() {
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            log.append(buffer.beginCompensation(LogRecordType.UPDATE, 7, 4_711, 1_234)
                    .putInt(42)
                    .putShort(-3));
            log.append(buffer.begin(LogRecordType.COMMIT, 0, 8, 0));
        }
        try (LogReader reader = fixture.reader(LSN_FIRST, 0)) {
            LogRecordView view = reader.next();
            assertNotNull(view);
            assertTrue(view.isCompensation());
            assertEquals(LogRecordType.UPDATE, view.type());
            assertEquals(7, view.transactionId());
            assertEquals(4_711, view.previousLsn());
            assertEquals(1_234, view.undoNextLsn());
            assertEquals(42, view.getInt(view.bodyOffset()));
            assertEquals(-3, view.getShort(view.bodyOffset() + Integer.BYTES));
            assertEquals(Integer.BYTES + Short.BYTES, view.bodyBytes());
            assertThrows(IndexOutOfBoundsException.class, () -> view.getInt(view.bodyOffset() + Integer.BYTES));
            LogRecordView commit = reader.next();
            assertNotNull(commit);
            assertFalse(commit.isCompensation());
            assertEquals(0, commit.bodyBytes());
            assertThrows(IllegalStateException.class, commit::undoNextLsn);
        }
    }

    @Test
    void aRecordThatIsTooLargeIsRefusedAndTheBufferStaysUsable() {
        buffer.begin(LogRecordType.INSERT, 0, 1, 0);
        byte[] bytes = new byte[LogRecordLayout.RECORD_BYTES_MAX];
        assertThrows(RecordTooLargeException.class, () -> buffer.putBytes(bytes, 0, bytes.length));
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            append(log, 1, 10);
        }
        assertContent(fixture.read(LSN_FIRST, 0));
    }

    @Test
    void aFieldCanBePatched() {
        buffer.begin(LogRecordType.SYSTEM, 0, 0, 0);
        int at = buffer.position();
        buffer.putInt(0).putLong(5);
        buffer.patchInt(at, 99);
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.patchInt(at - 1, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.patchInt(at + Long.BYTES + 1, 0));
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            log.append(buffer);
        }
        try (LogReader reader = fixture.reader(LSN_FIRST, 0)) {
            assertEquals(99, reader.next().getInt(at));
        }
    }

    @Test
    void afterCloseTheLogRefusesEverything() {
        Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST);
        append(log, 1, 1);
        log.close();
        log.close();
        assertTrue(lsns.getFirst() < log.durableLsn());
        buffer.begin(LogRecordType.INSERT, 0, 2, 0);
        assertThrows(DatabaseClosedException.class, () -> log.append(buffer));
        assertThrows(IllegalArgumentException.class, () -> log.awaitDurable(log.tailLsn(), waiter));
    }

    @Test
    void filesOfAnotherDatabaseAreNotTouched() {
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            append(log, 1, 1);
        }
        DatabaseId other = new DatabaseId(1, 2);
        assertThrows(
                dev.lockstep.engine.UnknownFormatException.class,
                () -> new LogReader(fixture.storage, LogFixture.DIRECTORY, other, LSN_FIRST, 0, false));
        assertContent(fixture.read(LSN_FIRST, 0));
    }

    /** Notes the last memory outside of the heap that a file was read to. */
    private static final class NotingStorage extends DelegatingStorage {
        private ByteBuffer readTo;

        NotingStorage(Storage storage) {
            super(storage);
        }

        @Override
        public BlockFile open(Path path, OpenMode mode) {
            return new DelegatingFile(super.open(path, mode)) {
                @Override
                public int read(ByteBuffer target, long position) {
                    readTo = target;
                    return super.read(target, position);
                }
            };
        }
    }

    @Test
    void aReaderThatCannotBeginFreesWhatItHasRead() {
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            append(log, 1, 1);
        }
        NotingStorage storage = new NotingStorage(fixture.storage);
        assertThrows(
                CorruptionException.class,
                () -> new LogReader(
                        storage, LogFixture.DIRECTORY, LogFixture.DATABASE_ID, LSN_FIRST, Long.MAX_VALUE, false),
                "the log was durable further than it reaches");
        ByteBuffer segment = storage.readTo;
        assertTrue(segment.isDirect());
        assertThrows(IllegalStateException.class, () -> segment.get(0), "memory that was freed cannot be read");
    }

    @Test
    void aLogBehindTheEndIsRefused() {
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST + 4_096)) {
            append(log, 1, 1);
        }
        assertThrows(
                CorruptionException.class,
                () -> fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST, FailureListener.IGNORE));
    }
}
