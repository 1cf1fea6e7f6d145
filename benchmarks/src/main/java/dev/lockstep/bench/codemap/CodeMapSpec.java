package dev.lockstep.bench.codemap;

import java.util.Locale;

/**
 * What a child JVM runs for a code map.
 *
 * @param workload what is run
 * @param steps whether S-threads run it, under STEPS; else threads of the JDK
 * @param rows of the table of operations
 * @param rounds transactions measured
 * @param warmUpRounds transactions before that
 * @param terminals threads of TPC-C
 * @param seed of everything random
 * @param marked whether operations are told apart; without, the same is run without a probe
 * @param samples file for stacks that are sampled in the measured phase, which then takes longer; or null
 */
record CodeMapSpec(
        Workload workload,
        boolean steps,
        int rows,
        long rounds,
        long warmUpRounds,
        int terminals,
        long seed,
        boolean marked,
        String samples) {
    /** The control: the same without a probe. */
    CodeMapSpec unmarked() {
        return new CodeMapSpec(workload, steps, rows, rounds, warmUpRounds, terminals, seed, false, samples);
    }

    /** The same, sampled. */
    CodeMapSpec sampled(String file) {
        return new CodeMapSpec(workload, steps, rows, rounds, warmUpRounds, terminals, seed, marked, file);
    }

    /** The workload as messages name it. */
    String name() {
        return "workload=" + workload.name().toLowerCase(Locale.ROOT);
    }

    /** What can be run. */
    enum Workload {
        /** Transactions of one operation each kind, on a small table. */
        OPERATIONS(2_000, 60_000),
        /** The five transactions of TPC-C, on a small database. Of 4,000 C2 now and then took a quarter. */
        TPCC(8_000, 40_000);

        private final long rounds;
        private final long warmUpRounds;

        Workload(long rounds, long warmUpRounds) {
            this.rounds = rounds;
            this.warmUpRounds = warmUpRounds;
        }

        /** Transactions to measure, in which what is still compiled is less than a quarter of what is executed. */
        long rounds() {
            return rounds;
        }

        /** Transactions after which more than 95 % of the Java instructions come from C2. */
        long warmUpRounds() {
            return warmUpRounds;
        }
    }
}
