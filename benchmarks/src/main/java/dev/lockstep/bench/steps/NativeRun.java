package dev.lockstep.bench.steps;

import dev.lockstep.bench.tpcc.RunReport;

/**
 * One run on this machine's processor.
 *
 * @param variant which
 * @param repeat number of the repetition, from 1
 * @param control whether it is the control, the first variant run again
 * @param command that runs it alone
 * @param failure why it counts for nothing, or empty
 * @param run what it found, or null where it left nothing
 */
record NativeRun(StepsVariant variant, int repeat, boolean control, String command, String failure, RunReport run) {
    private static final double MICROS_PER_SECOND = 1e6;

    /** Whether its figures count. */
    boolean counts() {
        return failure.isEmpty();
    }

    /** What it is called in tables. */
    String label() {
        return variant.spelled() + (control ? " (control)" : "");
    }

    /** Time by the clock for each transaction, of one core. */
    double microsEach() {
        return MICROS_PER_SECOND / run.txnPerSecond();
    }
}
