package dev.lockstep.engine;

/**
 * What one session has counted since it was opened. Each number is exact by itself for the thread that uses the
 * session; others may miss what happened in the last nanoseconds.
 *
 * @param pageAccesses pages that its operations visited
 * @param pageMisses of these not in the pool, so that they had to be read or waited for
 */
public record SessionStatistics(long pageAccesses, long pageMisses) {}
