package dev.lockstep.bench.tpcc;

import dev.lockstep.scheduler.OperationStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What only an engine itself can count. What it does not have is {@code null}.
 *
 * @param operations what each did, in teams and outside
 * @param commits commit records in the log
 * @param forces forces of the log
 * @param logBytes bytes of log
 * @param pageAccesses pages asked for
 * @param pageMisses of these not in the pool
 * @param scannerPageAccesses of all accesses those of scanners
 * @param scannerPageMisses of these not in the pool
 */
record EngineFigures(
        List<OperationStatistics> operations,
        Long commits,
        Long forces,
        Long logBytes,
        Long pageAccesses,
        Long pageMisses,
        Long scannerPageAccesses,
        Long scannerPageMisses) {
    /** Of an engine that counts nothing. */
    static final EngineFigures NONE = new EngineFigures(List.of(), null, null, null, null, null, null, null);

    /** What was counted in two times together; of the same engine. */
    EngineFigures plus(EngineFigures other) {
        if (this.equals(NONE)) {
            return other;
        }
        Map<String, OperationStatistics> together = new LinkedHashMap<>();
        operations.forEach(each -> together.put(each.operation(), each));
        other.operations.forEach(each -> together.merge(each.operation(), each, OperationStatistics::plus));
        return new EngineFigures(
                List.copyOf(together.values()),
                sum(commits, other.commits),
                sum(forces, other.forces),
                sum(logBytes, other.logBytes),
                sum(pageAccesses, other.pageAccesses),
                sum(pageMisses, other.pageMisses),
                sum(scannerPageAccesses, other.scannerPageAccesses),
                sum(scannerPageMisses, other.scannerPageMisses));
    }

    private static Long sum(Long one, Long other) {
        return one == null || other == null ? null : Long.valueOf(one + other);
    }

    /** As they are reported. */
    List<TeamReport> teams() {
        return operations.stream().map(TeamReport::of).toList();
    }

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
