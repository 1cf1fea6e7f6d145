package dev.lockstep.bench.prove.disk;

import java.util.List;

/**
 * What one run of a workload did to its disk when nothing failed.
 *
 * <p>Immutable, but for the workload.
 */
final class Recording {
    private final Workload workload;
    private final List<DiskOperation> operations;

    /** By step: how many operations there were when it had returned. */
    private final long[] operationsAfterStep;

    private Recording(Workload workload, List<DiskOperation> operations, long[] operationsAfterStep) {
        this.workload = workload;
        this.operations = operations;
        this.operationsAfterStep = operationsAfterStep;
    }

    /**
     * Runs a workload.
     *
     * @throws IllegalStateException if it does not do what it is meant to
     */
    static Recording of(Workload workload) {
        rehearse(workload);
        SimulatedDisk disk = new SimulatedDisk(workload.before(), true);
        long[] operationsAfterStep = new long[workload.stepCount()];
        try (Host host = new Host(disk)) {
            for (int step = 0; step < workload.stepCount(); step++) {
                workload.apply(step, host);
                operationsAfterStep[step] = disk.operationCount();
            }
        }
        int count = (int) operationsAfterStep[workload.stepCount() - 1];
        return new Recording(workload, disk.noted().subList(0, count), operationsAfterStep);
    }

    /** A run of its own, because looking at the database changes what it does to its disk. */
    private static void rehearse(Workload workload) {
        try (Host host = new Host(new SimulatedDisk(workload.before(), false))) {
            long nodes = 0;
            for (int step = 0; step < workload.stepCount(); step++) {
                workload.apply(step, host);
                long nodesNow = host.database().validate().nodes();
                requireTrend(workload, step, nodesNow - nodes);
                nodes = nodesNow;
                if (workload.stepsFound(host.database(), step + 1, step + 1) != step + 1) {
                    throw new IllegalStateException("a step left no trace: " + workload.describe(step));
                }
            }
        }
    }

    private static void requireTrend(Workload workload, int step, long moreNodes) {
        int trend = workload.nodeTrend(step);
        if (trend != 0 && trend != Long.signum(moreNodes)) {
            throw new IllegalStateException(
                    "no node was split or merged in " + workload.describe(step) + ": moreNodes=" + moreNodes);
        }
    }

    Workload workload() {
        return workload;
    }

    List<DiskOperation> operations() {
        return operations;
    }

    /** How many steps had returned, at least, when an operation began. */
    int stepsDoneBefore(long operation) {
        int steps = 0;
        while (steps < operationsAfterStep.length && operationsAfterStep[steps] <= operation) {
            steps++;
        }
        return steps;
    }
}
