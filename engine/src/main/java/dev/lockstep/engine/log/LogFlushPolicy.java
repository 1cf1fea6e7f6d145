package dev.lockstep.engine.log;

/**
 * Decides when the writer writes and forces. Whoever waits alone is served at once, and everything appended during a
 * force shares the next one; how many more that one waits for is for {@link LogGatherPolicy} to say.
 *
 * <ul>
 *   <li>Somebody waits: force.
 *   <li>A chunk of unwritten bytes has come together: write, so that the ring never fills and a later force has little
 *       left to do.
 *   <li>Timed (durability {@code async}): force when the oldest byte that is not on disk may have become
 *       {@code forceDelayNanos} old.
 *   <li>Otherwise sleep: nothing wakes up to find nothing to do.
 * </ul>
 *
 * <p>Invariant: {@code unforcedSinceNanos} is not after the moment when the oldest byte not yet forced was appended.
 * It is the time of the first append after everything was forced, or of the moment just before the last batch that was
 * forced was cut off: what is not in that batch was appended later.
 *
 * <p>Not thread-safe: belongs to the writer thread.
 */
final class LogFlushPolicy {
    /** What to do now. */
    enum Action {
        SLEEP,
        WRITE,
        FORCE
    }

    private final boolean timed;
    private final long forceDelayNanos;
    private final long chunkBytes;

    private long unforcedSinceNanos;
    private long cutOffNanos;

    LogFlushPolicy(boolean timed, long forceDelayNanos, long chunkBytes) {
        this.timed = timed;
        this.forceDelayNanos = forceDelayNanos;
        this.chunkBytes = chunkBytes;
    }

    /** Whether forces happen by time, and so the first append after an idle time has to wake the writer. */
    boolean isTimed() {
        return timed;
    }

    /** How many unwritten bytes are worth a write. */
    long chunkBytes() {
        return chunkBytes;
    }

    /** Notes the time of the first append after everything had been forced. */
    void firstAppend(long nanos) {
        unforcedSinceNanos = nanos;
    }

    /** A moment not after the one when the oldest byte not yet forced was appended. */
    long unforcedSinceNanos() {
        return unforcedSinceNanos;
    }

    /** Notes the time just before a batch is cut off. */
    void cutOff(long nanos) {
        cutOffNanos = nanos;
    }

    /** Notes that everything cut off so far is forced. */
    void forced() {
        unforcedSinceNanos = cutOffNanos;
    }

    /**
     * Decides.
     *
     * @param nowNanos the present time
     * @param unwrittenBytes what was appended since the last write
     * @param unforced whether anything is not on disk
     * @param wanted whether somebody waits for something that is not on disk
     */
    Action decide(long nowNanos, long unwrittenBytes, boolean unforced, boolean wanted) {
        if (unforced && (wanted || (timed && nowNanos - unforcedSinceNanos >= forceDelayNanos))) {
            return Action.FORCE;
        }
        return unwrittenBytes >= chunkBytes ? Action.WRITE : Action.SLEEP;
    }

    /** How long to sleep after {@link #decide} said so, if nothing happens. */
    long sleepNanos(long nowNanos, boolean unforced) {
        return timed && unforced
                ? Math.max(1, unforcedSinceNanos + forceDelayNanos - nowNanos)
                : LogClock.UNTIL_SIGNALLED;
    }
}
