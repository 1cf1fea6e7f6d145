package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.flame.FlameShares;

/**
 * A flame graph, and the run that it was drawn from; that run's figures include the profiler and count nowhere.
 *
 * @param run what the configuration is called in tables
 * @param file its name in the directory of the report
 * @param event by which it was sampled, and why by no better one; {@code null} if the run did not come so far
 * @param processorTime its samples, by what they were about; {@code null} likewise
 * @param txnPerSecond committed transactions of all types a second, with the profiler
 * @param failure why the run was given up, or empty
 * @param ok whether it ended and every check holds
 */
record FlameGraphReport(
        String run,
        String file,
        String event,
        FlameShares processorTime,
        double txnPerSecond,
        String failure,
        boolean ok) {}
