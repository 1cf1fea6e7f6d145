package dev.lockstep.engine.transaction;

/**
 * What the open snapshots are and cost.
 *
 * @param openSnapshots how many there are
 * @param oldestAgeNanos since when the oldest is open; 0 without one
 * @param versionBytes what the versions take that are kept for them, and for those that may begin, roughly
 */
public record SnapshotStatistics(int openSnapshots, long oldestAgeNanos, long versionBytes) {
    /** No snapshot is open. */
    public static final SnapshotStatistics NONE = new SnapshotStatistics(0, 0, 0);
}
