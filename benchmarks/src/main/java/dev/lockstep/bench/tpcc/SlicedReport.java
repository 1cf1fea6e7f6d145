package dev.lockstep.bench.tpcc;

import java.util.List;

/**
 * What a child found that ran several configurations by turns.
 *
 * @param runs repetition by repetition, in each the configurations in their order
 */
record SlicedReport(List<RunReport> runs) {}
