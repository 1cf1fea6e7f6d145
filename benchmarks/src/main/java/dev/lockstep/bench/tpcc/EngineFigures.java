package dev.lockstep.bench.tpcc;

import java.util.List;

/**
 * What only an engine itself can count. What it does not have is {@code null}.
 *
 * @param teams by operation
 * @param commits commit records in the log
 * @param forces forces of the log
 * @param logBytes bytes of log
 * @param pageAccesses pages asked for
 * @param pageMisses of these not in the pool
 * @param scannerPageAccesses of all accesses those of scanners
 * @param scannerPageMisses of these not in the pool
 */
record EngineFigures(
        List<TeamReport> teams,
        Long commits,
        Long forces,
        Long logBytes,
        Long pageAccesses,
        Long pageMisses,
        Long scannerPageAccesses,
        Long scannerPageMisses) {
    /** Of an engine that counts nothing. */
    static final EngineFigures NONE = new EngineFigures(List.of(), null, null, null, null, null, null, null);

    /** Commits that shared one force on average, or {@code null} without any force. */
    Double commitsPerForce() {
        return commits == null || forces == null || forces == 0 ? null : (double) commits / forces;
    }

    /** Part of the accesses that found their page in the pool, or {@code null} without any access. */
    Double bufferHitRatio() {
        return pageAccesses == null || pageMisses == null ? null : hitRatio(pageAccesses, pageMisses);
    }

    /** The same without the accesses of scanners. */
    Double terminalHitRatio() {
        return pageAccesses == null || scannerPageAccesses == null
                ? null
                : hitRatio(pageAccesses - scannerPageAccesses, pageMisses - scannerPageMisses);
    }

    private static Double hitRatio(long accesses, long misses) {
        return accesses == 0 ? null : 1 - (double) misses / accesses;
    }
}
