package dev.lockstep.bench.codemap;

/**
 * What a child JVM runs for a code map.
 *
 * @param workload what is run
 * @param steps whether S-threads run it, under STEPS; else threads of the JDK
 * @param rounds transactions measured
 * @param warmUpRoundsMax transactions before that, at most; fewer when the compilers have come to rest
 * @param terminals threads of TPC-C
 * @param seed of everything random
 */
record CodeMapSpec(Workload workload, boolean steps, long rounds, long warmUpRoundsMax, int terminals, long seed) {
    /** What can be run. */
    enum Workload {
        /** Transactions of one operation each kind, on a small table. */
        OPERATIONS,
        /** The five transactions of TPC-C, on a small database. */
        TPCC
    }
}
