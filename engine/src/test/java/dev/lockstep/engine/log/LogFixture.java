package dev.lockstep.engine.log;

import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.file.FaultyStorage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A log in a file system in memory, with the smallest segments and ring, and records that tell their number. */
final class LogFixture {
    static final Path DIRECTORY = Path.of("/database");
    static final DatabaseId DATABASE_ID = new DatabaseId(0x0123_4567_89ab_cdefL, 0x0fed_cba9_8765_4321L);

    private static final int NUMBER_OFFSET = LogRecordLayout.HEADER_BYTES;
    private static final int FILL_OFFSET = NUMBER_OFFSET + Long.BYTES;

    final FaultyStorage storage;

    LogFixture(long seed) {
        storage = new FaultyStorage(seed);
        storage.createDirectories(DIRECTORY);
    }

    static LogOptions small(LogOptions options) {
        return options.withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN).withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
    }

    Log open(LogOptions options, long startLsn) {
        return open(options, startLsn, FailureListener.IGNORE);
    }

    Log open(LogOptions options, long startLsn, FailureListener listener) {
        return Log.open(storage, DIRECTORY, DATABASE_ID, options, startLsn, listener);
    }

    LogReader reader(long fromLsn, long knownDurableLsn) {
        return new LogReader(storage, DIRECTORY, DATABASE_ID, fromLsn, knownDurableLsn, false);
    }

    /** Fills {@code buffer} with record {@code number}, whose length and content follow from it. */
    static LogRecordBuffer record(LogRecordBuffer buffer, long number, int fillBytes) {
        return record(buffer, number, fillBytes, 0);
    }

    /** The same, with a previous LSN. */
    static LogRecordBuffer record(LogRecordBuffer buffer, long number, int fillBytes, long previousLsn) {
        buffer.begin(LogRecordType.INSERT, 0, number, previousLsn).putLong(number);
        for (int i = 0; i < fillBytes; i++) {
            buffer.putByte((int) (number + i));
        }
        return buffer;
    }

    /** The number in a record, after a check that the rest is what {@link #record} makes. */
    static long number(LogRecordView view) {
        long number = view.getLong(NUMBER_OFFSET);
        if (view.transactionId() != number || view.type() != LogRecordType.INSERT) {
            throw new AssertionError("not record " + number + " at lsn=" + view.lsn());
        }
        for (int at = FILL_OFFSET; at < view.recordBytes(); at++) {
            if (view.getByte(at) != (byte) (number + (at - FILL_OFFSET))) {
                throw new AssertionError("byte " + at + " of record " + number + " at lsn=" + view.lsn());
            }
        }
        return number;
    }

    /** All records from {@code fromLsn} on, and where the log ends. */
    Content read(long fromLsn, long knownDurableLsn) {
        List<Long> lsns = new ArrayList<>();
        List<Long> numbers = new ArrayList<>();
        try (LogReader reader = reader(fromLsn, knownDurableLsn)) {
            for (LogRecordView view = reader.next(); view != null; view = reader.next()) {
                lsns.add(view.lsn());
                numbers.add(number(view));
            }
            return new Content(lsns, numbers, reader.endLsn());
        }
    }

    record Content(List<Long> lsns, List<Long> numbers, long endLsn) {}
}
