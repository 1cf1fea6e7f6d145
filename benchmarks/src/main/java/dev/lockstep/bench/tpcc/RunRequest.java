package dev.lockstep.bench.tpcc;

import java.nio.file.Path;

/**
 * One run, as the parent hands it to a child JVM: what to run, and what only the parent knows of it.
 *
 * @param configuration what to run
 * @param directory of this run alone, for its files
 * @param flameGraph file for the flame graph of the measured phase, or {@code null} where none is asked for
 * @param part which part of the run the child does
 * @param samples file for the stacks of the measured phase, or {@code null} where none are asked for
 * @param state file for a {@link ChildState}, or {@code null} likewise
 * @param pinning where the process runs, in a few words
 * @param repeat number of the repetition, from 1
 * @param control whether it is the control, the first configuration run again
 * @param configurationHash of all settings, equal for repetitions only
 */
record RunRequest(
        RunSpec configuration,
        String directory,
        String flameGraph,
        RunPart part,
        String samples,
        String state,
        String pinning,
        int repeat,
        boolean control,
        String configurationHash) {
    /** A whole run, of which nothing beside is told. */
    RunRequest(
            RunSpec configuration,
            String directory,
            String flameGraph,
            String pinning,
            int repeat,
            boolean control,
            String configurationHash) {
        this(
                configuration,
                directory,
                flameGraph,
                RunPart.WHOLE,
                null,
                null,
                pinning,
                repeat,
                control,
                configurationHash);
    }

    /**
     * Whether the run is one of a simulation: the simulated one, its control on the machine, or what they need. They
     * are to be the same each time.
     */
    boolean ofSimulation() {
        return state != null || part == RunPart.LOAD || part == RunPart.CHECK;
    }

    /** Another configuration, with its files elsewhere, in the same way. */
    RunRequest of(RunSpec newConfiguration, Path newDirectory) {
        return new RunRequest(
                newConfiguration,
                newDirectory.toString(),
                flameGraph,
                part,
                samples,
                state,
                pinning,
                repeat,
                control,
                configurationHash);
    }

    /** The same run, of which the child does a part and tells more. */
    RunRequest with(RunPart newPart, String newSamples, String newState, String newPinning) {
        return new RunRequest(
                configuration,
                directory,
                flameGraph,
                newPart,
                newSamples,
                newState,
                newPinning,
                repeat,
                control,
                configurationHash);
    }
}
