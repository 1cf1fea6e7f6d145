package dev.lockstep.bench.tpcc;

/**
 * Work of one garbage collector.
 *
 * @param collections how often it ran
 * @param millis how long in all
 */
record CollectorReport(long collections, long millis) {}
