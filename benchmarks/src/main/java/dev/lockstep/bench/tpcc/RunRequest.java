package dev.lockstep.bench.tpcc;

/**
 * One run, as the parent hands it to a child JVM: what to run, and what only the parent knows of it.
 *
 * @param configuration what to run
 * @param directory of this run alone, for its files
 * @param flameGraph file for the flame graph of the measured phase, or {@code null} where none is asked for
 * @param pinning where the process runs, in a few words
 * @param repeat number of the repetition, from 1
 * @param control whether it is the control, the first configuration run again
 * @param configurationHash of all settings, equal for repetitions only
 */
record RunRequest(
        RunSpec configuration,
        String directory,
        String flameGraph,
        String pinning,
        int repeat,
        boolean control,
        String configurationHash) {}
