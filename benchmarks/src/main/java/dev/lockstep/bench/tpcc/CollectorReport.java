package dev.lockstep.bench.tpcc;

/**
 * Work of one garbage collector.
 *
 * @param collections how often it ran
 * @param millis how long in all
 */
record CollectorReport(long collections, long millis) {
    /** This work and some more. */
    CollectorReport plus(CollectorReport more) {
        return new CollectorReport(collections + more.collections, millis + more.millis);
    }
}
