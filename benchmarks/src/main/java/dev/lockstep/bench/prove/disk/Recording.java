package dev.lockstep.bench.prove.disk;

import dev.lockstep.bench.prove.PointLimit;
import dev.lockstep.engine.file.DoubleWriteLayout;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.page.PageLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What one run of a workload did to its disk when nothing failed.
 *
 * <p>Immutable, but for the workload.
 */
final class Recording {
    /** Reading everything takes as long as some steps. */
    private static final int STEPS_PER_LOOK = 10;

    /** The shortest run of pages that the engine writes past the system's cache. */
    private static final int LONG_RUN_PAGES = 16;

    private final Workload workload;
    private final Flaw flaw;
    private final List<DiskOperation> operations;

    /** By step: how many operations there were when it had returned. */
    private final long[] operationsAfterStep;

    private final LogModel log = new LogModel();

    /** By step: where the log ended, as far as it was written, when it had returned. */
    private final long[] logEndLsnAfterStep;

    /** The steps that start a process, ascending, and the operations that come next then. */
    private final List<Start> starts = new ArrayList<>();

    /**
     * The start of a process.
     *
     * @param step the one that opens the database
     * @param operation number of the first one after it
     */
    record Start(int step, int operation) {}

    private Recording(Workload workload, Flaw flaw, List<DiskOperation> operations, long[] operationsAfterStep) {
        this.workload = workload;
        this.flaw = flaw;
        this.operations = operations;
        this.operationsAfterStep = operationsAfterStep;
        logEndLsnAfterStep = new long[operationsAfterStep.length];
        int applied = 0;
        for (int step = 0; step < workload.stepCount(); step++) {
            for (; applied < operationsAfterStep[step]; applied++) {
                log.add(operations.get(applied));
            }
            logEndLsnAfterStep[step] = log.endLsn();
            if (workload.opens(step)) {
                starts.add(new Start(step, step == 0 ? 0 : (int) operationsAfterStep[step - 1]));
            }
        }
    }

    /**
     * Runs a workload.
     *
     * @param flaw what the engine does wrong
     * @throws IllegalStateException if the workload does not do what it is meant to
     */
    static Recording of(Workload workload, Flaw flaw) {
        if (flaw == Flaw.NONE) {
            rehearse(workload);
        }
        return run(workload, flaw, List.of());
    }

    /** Runs the workload once more, and lets its threads take turns as they did here. */
    Recording again() {
        return run(workload, flaw, operations);
    }

    private static Recording run(Workload workload, Flaw flaw, List<DiskOperation> recorded) {
        SimulatedDisk disk = new SimulatedDisk(workload.before(), true);
        disk.follow(recorded, 0);
        long[] operationsAfterStep = new long[workload.stepCount()];
        try (Host host = new Host(disk, workload, flaw)) {
            for (int step = 0; step < workload.stepCount(); step++) {
                workload.apply(step, host);
                operationsAfterStep[step] = disk.operationCount();
            }
            if (!recorded.isEmpty()) {
                awaitOperations(disk, recorded.size());
                operationsAfterStep[workload.stepCount() - 1] = Math.min(disk.operationCount(), recorded.size());
            }
        }
        int count = (int) operationsAfterStep[workload.stepCount() - 1];
        return new Recording(workload, flaw, disk.noted().subList(0, count), operationsAfterStep);
    }

    /**
     * Returns when as much was done as is recorded, or does not come. Behind the last step the log's thread may be
     * about to begin its next file, for which nobody waits: a recording ends somewhere in there.
     */
    private static void awaitOperations(SimulatedDisk disk, int count) {
        long beginNanos = System.nanoTime();
        while (disk.operationCount() < count && System.nanoTime() - beginNanos < PointLimit.POINT_MAX.toNanos()) {
            Thread.onSpinWait();
        }
    }

    /** A run of its own, because looking at the database changes what it does to its disk. */
    private static void rehearse(Workload workload) {
        SimulatedDisk disk = new SimulatedDisk(workload.before(), true);
        try (Host host = new Host(disk, workload, Flaw.NONE)) {
            for (int step = 0; step < workload.stepCount(); step++) {
                boolean hasTrend = workload.nodeTrend(step) != 0;
                long nodesBefore = hasTrend ? host.database().validate().nodes() : 0;
                workload.apply(step, host);
                if (hasTrend) {
                    requireTrend(workload, step, host.database().validate().nodes() - nodesBefore);
                }
                boolean isLookedAt = step % STEPS_PER_LOOK == 0 || step == workload.stepCount() - 1;
                if (host.isOpen()
                        && isLookedAt
                        && workload.stepsFound(host.database(), step + 1, step + 1) != step + 1) {
                    throw new IllegalStateException("a step left no trace: " + workload.describe(step));
                }
            }
        }
        requireWork(workload, disk.noted());
    }

    private static void requireTrend(Workload workload, int step, long moreNodes) {
        if (workload.nodeTrend(step) != Long.signum(moreNodes)) {
            throw new IllegalStateException(
                    "no node was split or merged in " + workload.describe(step) + ": moreNodes=" + moreNodes);
        }
    }

    /** Compactions have cut the file of the pages off, and backups have written their copies. */
    private static void requireWork(Workload workload, List<DiskOperation> operations) {
        boolean hasCut = operations.stream()
                .anyMatch(operation -> operation.activity() == Activity.COMPACTION
                        && operation.kind() == DiskOperation.Kind.TRUNCATE
                        && operation.fileKind().startsWith("pages"));
        boolean hasCopied = operations.stream()
                .anyMatch(operation -> operation.activity() == Activity.BACKUP
                        && operation.kind() == DiskOperation.Kind.WRITE
                        && !operation.path().startsWith(Host.HOME));
        if (!hasCopied || (!hasCut && workload.cutsFile())) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "nothing was compacted or copied: workload=%s hasCut=%s hasCopied=%s",
                    workload.name(),
                    hasCut,
                    hasCopied));
        }
    }

    Workload workload() {
        return workload;
    }

    Flaw flaw() {
        return flaw;
    }

    List<DiskOperation> operations() {
        return operations;
    }

    /** How many batches of the double-write area had more pages than its first version had room for. */
    long longBatches() {
        int bytes = DoubleWriteLayout.PAGES_POSITION
                - DoubleWriteLayout.DIRECTORY_POSITION
                + (DoubleWriteLayout.PAGES_MAX_1 + 1) * PageLayout.PAGE_BYTES;
        return operations.stream()
                .filter(operation -> isWrite(operation, PageFile.DOUBLE_WRITE_FILE, bytes))
                // What makes the file is longer, and begins before it.
                .filter(operation -> operation.position() == DoubleWriteLayout.DIRECTORY_POSITION)
                .count();
    }

    /** How many runs of neighbouring pages were so long that the engine writes them past the system's cache. */
    long longRuns() {
        return operations.stream()
                .filter(operation -> isWrite(operation, PageFile.PAGES_FILE, LONG_RUN_PAGES * PageLayout.PAGE_BYTES))
                .count();
    }

    private static boolean isWrite(DiskOperation operation, String file, int bytesMin) {
        return operation.kind() == DiskOperation.Kind.WRITE
                && operation.path().equals(Host.HOME.resolve(file))
                && operation.data().length >= bytesMin;
    }

    /** How many steps had returned, at least, when an operation began. */
    int stepsDoneBefore(long operation) {
        int steps = 0;
        while (steps < operationsAfterStep.length && operationsAfterStep[steps] <= operation) {
            steps++;
        }
        return steps;
    }

    /** The log that the run has written. */
    LogModel log() {
        return log;
    }

    /** How many steps, from the first on, had written all their log below a position when they returned. */
    int stepsLoggedBefore(long lsn) {
        int steps = 0;
        while (steps < logEndLsnAfterStep.length && logEndLsnAfterStep[steps] <= lsn) {
            steps++;
        }
        return steps;
    }

    /** The start of the process that does an operation. */
    Start startBefore(int operation) {
        Start found = starts.getFirst();
        for (Start start : starts) {
            found = start.operation <= operation ? start : found;
        }
        return found;
    }

    /** The first operation of the process after the one that does an operation; their number if there is none. */
    int endOfProcess(int operation) {
        for (Start start : starts) {
            if (start.operation > operation) {
                return start.operation;
            }
        }
        return operations.size();
    }
}
