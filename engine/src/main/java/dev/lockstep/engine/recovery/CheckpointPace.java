package dev.lockstep.engine.recovery;

import dev.lockstep.engine.buffer.FlushPace;
import dev.lockstep.engine.log.Log;
import dev.lockstep.scheduler.InstalledTime;
import java.util.function.BooleanSupplier;

/**
 * Writes the pages of a checkpoint as evenly as log and time come on, so that the log, which has to be forced all the
 * while, finds the disk free. Written at once, they keep it busy for seconds, and commits wait for it.
 *
 * <p>Invariant: no two batches lie further apart than {@link #PAUSE_NANOS_MAX}; so a checkpoint ends where nothing else
 * happens, too.
 *
 * <p>Thread-safety: for the page writer's thread alone.
 */
final class CheckpointPace implements FlushPace {
    /**
     * 200 ms: 256 pages each are 10 MB a second, which no disk minds and which writes a pool of a GB in 100 seconds.
     */
    static final long PAUSE_NANOS_MAX = 200_000_000;

    private final Log log;
    private final BooleanSupplier isHurried;
    private final long beginLsn;
    private final long beginNanos;
    private final double spreadBytes;
    private final double spreadNanos;
    private double lastShare = -1;
    private long lastShareNanos;

    /**
     * Begins now.
     *
     * @param beginLsn the log's tail when the checkpoint began
     * @param isHurried whether somebody waits for the checkpoint by now
     */
    CheckpointPace(Log log, CheckpointSchedule schedule, long beginLsn, BooleanSupplier isHurried) {
        this.log = log;
        this.isHurried = isHurried;
        this.beginLsn = beginLsn;
        beginNanos = InstalledTime.nanoTime();
        spreadBytes = schedule.intervalBytes() * schedule.spread();
        spreadNanos = schedule.interval().toNanos() * schedule.spread();
    }

    @Override
    public boolean isAhead(double writtenShare) {
        long now = InstalledTime.nanoTime();
        if (writtenShare != lastShare) {
            lastShare = writtenShare;
            lastShareNanos = now;
        }
        return now - lastShareNanos < PAUSE_NANOS_MAX
                && (log.tailLsn() - beginLsn) < writtenShare * spreadBytes
                && (now - beginNanos) < writtenShare * spreadNanos
                && !isHurried.getAsBoolean();
    }
}
