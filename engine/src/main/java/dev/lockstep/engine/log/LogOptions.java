package dev.lockstep.engine.log;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.ValueOutOfRangeException;

/**
 * How a log works.
 *
 * @param timed whether forces happen by time ({@code async} durability) as well as for those who wait; a commit of
 *     {@code sync} durability waits for its record
 * @param segmentBytes size of a log file, from {@link #SEGMENT_BYTES_MIN} to {@link #SEGMENT_BYTES_MAX}
 * @param bufferBytes size of the ring in memory, a power of two from {@link #BUFFER_BYTES_MIN} to
 *     {@link #BUFFER_BYTES_MAX}
 * @param asyncDelayMillisMax how long after its append a record may be the victim of a crash under
 *     {@code async} durability, from 2 to 10,000
 * @param extraForceDelayMillis what to add to the duration of every force, to study slower disks; from 0 to 10,000
 * @param recycledBytes how much log a checkpoint is expected to set free at once, whose files are kept for reuse; from
 *     0 to {@link #RECYCLED_BYTES_MAX}
 * @param clock the source of time
 */
public record LogOptions(
        boolean timed,
        int segmentBytes,
        int bufferBytes,
        int asyncDelayMillisMax,
        int extraForceDelayMillis,
        long recycledBytes,
        LogClock clock) {
    /** Least size of a log file: four of the largest records, so that padding stays a fraction. */
    public static final int SEGMENT_BYTES_MIN = 256 * 1024;

    /** Largest size of a log file: recovery holds two of them in memory. */
    public static final int SEGMENT_BYTES_MAX = 256 * 1024 * 1024;

    /**
     * Default size of a log file. At 200 MB of log a second a file lasts a third of a second, so that the force and
     * rename at its end are rare; and two of them are little for recovery to hold.
     */
    public static final int SEGMENT_BYTES_DEFAULT = 64 * 1024 * 1024;

    /** Least size of the ring: four of the largest records. */
    public static final int BUFFER_BYTES_MIN = 256 * 1024;

    /** Largest size of the ring: beyond a second's worth of log a larger one only hides a disk that is too slow. */
    public static final int BUFFER_BYTES_MAX = 512 * 1024 * 1024;

    /** Default size of the ring: at 200 MB of log a second it bridges a force of 150 ms. */
    public static final int BUFFER_BYTES_DEFAULT = 32 * 1024 * 1024;

    /**
     * Most log whose files are kept for reuse, 16 GiB: more than a minute of log at full load, so that checkpoints at
     * longer intervals make new files rather than keep so much of the disk.
     */
    public static final long RECYCLED_BYTES_MAX = 16L << 30;

    /** Default of what is kept for reuse: four files of the default size. */
    public static final long RECYCLED_BYTES_DEFAULT = 256L << 20;

    /** The bound on what {@code async} durability may lose, as promised to applications. */
    public static final int ASYNC_DELAY_MILLIS_MAX = 100;

    /** Cap on times: a longer one is a mistake in the unit. */
    private static final int DELAY_MILLIS_MAX = 10_000;

    /** The part of the async delay that passes before the force begins; the other half is for the force itself. */
    static final int FORCE_DELAY_DIVISOR = 2;

    /**
     * Unwritten bytes that are worth a write of their own. Below a megabyte the system call and the switch to the
     * writer show; far above it the bytes have left the cache when they are checksummed and copied, and one write
     * keeps a core for milliseconds.
     */
    static final int WRITE_CHUNK_BYTES = 1024 * 1024;

    /** The ring holds at least this many chunks, so that it drains long before it is full. */
    static final int CHUNKS_PER_RING_MIN = 8;

    private static final int SMALLEST_ASYNC_DELAY_MILLIS = 2;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Checks the ranges. */
    public LogOptions {
        require("segmentBytes", segmentBytes, SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX);
        require("bufferBytes", bufferBytes, BUFFER_BYTES_MIN, BUFFER_BYTES_MAX);
        require("asyncDelayMillisMax", asyncDelayMillisMax, SMALLEST_ASYNC_DELAY_MILLIS, DELAY_MILLIS_MAX);
        require("extraForceDelayMillis", extraForceDelayMillis, 0, DELAY_MILLIS_MAX);
        require("recycledBytes", recycledBytes, 0, RECYCLED_BYTES_MAX);
        if (Integer.bitCount(bufferBytes) != 1) {
            throw new ValueOutOfRangeException(Message.of("The size of the log's buffer is not a power of two")
                    .with("bufferBytes", bufferBytes)
                    .remedy("Choose a power of two."));
        }
    }

    /** The defaults for a database whose commits are answered when they are on disk. */
    public static LogOptions sync() {
        return new LogOptions(
                false,
                SEGMENT_BYTES_DEFAULT,
                BUFFER_BYTES_DEFAULT,
                ASYNC_DELAY_MILLIS_MAX,
                0,
                RECYCLED_BYTES_DEFAULT,
                LogClock.SYSTEM);
    }

    /** The defaults for a database that may lose the commits of the last {@link #ASYNC_DELAY_MILLIS_MAX} ms. */
    public static LogOptions async() {
        return new LogOptions(
                true,
                SEGMENT_BYTES_DEFAULT,
                BUFFER_BYTES_DEFAULT,
                ASYNC_DELAY_MILLIS_MAX,
                0,
                RECYCLED_BYTES_DEFAULT,
                LogClock.SYSTEM);
    }

    /** The same options with another size of log files. */
    public LogOptions withSegmentBytes(int bytes) {
        return new LogOptions(
                timed, bytes, bufferBytes, asyncDelayMillisMax, extraForceDelayMillis, recycledBytes, clock);
    }

    /** The same options with another size of the ring. */
    public LogOptions withBufferBytes(int bytes) {
        return new LogOptions(
                timed, segmentBytes, bytes, asyncDelayMillisMax, extraForceDelayMillis, recycledBytes, clock);
    }

    /** The same options with slower forces. */
    public LogOptions withExtraForceDelayMillis(int millis) {
        return new LogOptions(timed, segmentBytes, bufferBytes, asyncDelayMillisMax, millis, recycledBytes, clock);
    }

    /** The same options with files kept for reuse that hold so much log, or as much as is kept at most. */
    public LogOptions withRecycledBytes(long bytes) {
        return new LogOptions(
                timed,
                segmentBytes,
                bufferBytes,
                asyncDelayMillisMax,
                extraForceDelayMillis,
                Math.min(bytes, RECYCLED_BYTES_MAX),
                clock);
    }

    /** The same options with another source of time. */
    public LogOptions withClock(LogClock other) {
        return new LogOptions(
                timed, segmentBytes, bufferBytes, asyncDelayMillisMax, extraForceDelayMillis, recycledBytes, other);
    }

    /** How long after the oldest append a force begins under {@code async} durability. */
    long forceDelayNanos() {
        return asyncDelayNanosMax() / FORCE_DELAY_DIVISOR;
    }

    long asyncDelayNanosMax() {
        return asyncDelayMillisMax * NANOS_PER_MILLI;
    }

    long extraForceDelayNanos() {
        return extraForceDelayMillis * NANOS_PER_MILLI;
    }

    long chunkBytes() {
        return Math.min(WRITE_CHUNK_BYTES, bufferBytes / CHUNKS_PER_RING_MIN);
    }

    private static void require(String name, long value, long least, long largest) {
        if (value < least || value > largest) {
            throw new ValueOutOfRangeException(Message.of("An option of the log is out of range")
                    .with(name, value)
                    .with("min", least)
                    .with("max", largest)
                    .remedy("Choose a value in the range."));
        }
    }
}
