package dev.lockstep.engine;

/**
 * What a database has counted since it was opened. Each number is exact by itself; together they are a snapshot without
 * a common moment.
 *
 * @param commits commit records in the log; 0 without a log, as the next three
 * @param logForces times that the log was forced to disk
 * @param logBytes bytes of log
 * @param logWrittenBytes bytes of log that have reached the file system
 * @param pageAccesses pages asked for
 * @param pageMisses pages asked for that were not in the pool
 * @param pageReads pages read from the file
 * @param pageWrites pages written to the file
 * @param evictions pages that left the pool for another page
 * @param lockWaits lock requests that had to wait
 * @param deadlocks deadlocks broken, each with one victim
 */
public record DatabaseStatistics(
        long commits,
        long logForces,
        long logBytes,
        long logWrittenBytes,
        long pageAccesses,
        long pageMisses,
        long pageReads,
        long pageWrites,
        long evictions,
        long lockWaits,
        long deadlocks) {}
