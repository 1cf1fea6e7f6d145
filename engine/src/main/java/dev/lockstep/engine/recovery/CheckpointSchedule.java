package dev.lockstep.engine.recovery;

import dev.lockstep.engine.DatabaseOptions;
import java.time.Duration;

/**
 * When checkpoints begin, and over how much of the time between two of them their pages are written.
 *
 * @param intervalBytes bytes of log after which a checkpoint begins, at least 1
 * @param interval time after which one begins if there was log since the last, more than zero, at most a year
 * @param spread share of the interval, in log or time, over which pages are written, 0 (at once) to less than 1
 */
public record CheckpointSchedule(long intervalBytes, Duration interval, double spread) {
    /**
     * Checks what is asked for.
     *
     * @throws IllegalArgumentException if anything is out of range
     */
    public CheckpointSchedule {
        if (intervalBytes < 1 || !interval.isPositive() || !(spread >= 0 && spread < 1)) {
            throw new IllegalArgumentException(
                    "not a schedule: intervalBytes=" + intervalBytes + ", interval=" + interval + ", spread=" + spread);
        }
    }

    /** The schedule that the options of a database ask for. */
    public static CheckpointSchedule of(DatabaseOptions options) {
        return new CheckpointSchedule(
                options.checkpointLogBytes(), options.checkpointInterval(), options.checkpointSpread());
    }
}
