package dev.lockstep.bench.simulate;

import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Measured phases of JVMs that had no control. Nobody knows whether such a JVM was in its steady state, so they count
 * for nothing; whether it left them to the workload is known, and told.
 */
final class UnjudgedPhases {
    private static final Set<String> JVM_AT_WORK = Set.of("collector", "compiler");

    /** Threads that only a JVM has. */
    private static final Set<String> JVM = Set.of("collector", "compiler", "jvm");

    private UnjudgedPhases() {}

    /** A verdict on each JVM that marked a measured phase, in their order. */
    static List<Verdict> verdicts(List<SimulatedProcess> processes) {
        return processes.stream().flatMap(process -> verdict(process).stream()).toList();
    }

    private static Optional<Verdict> verdict(SimulatedProcess process) {
        List<SimulationResult.Phase> phases = process.result().phases();
        boolean jvm = phases.stream().anyMatch(phase -> instructions(phase, JVM) > 0);
        return phases.stream()
                .filter(phase -> jvm && phase.phase() == SimulationResult.PHASE_MEASURED)
                .findFirst()
                .map(phase -> verdict(process, phase));
    }

    private static Verdict verdict(SimulatedProcess process, SimulationResult.Phase measured) {
        double jvmShare = (double) instructions(measured, JVM_AT_WORK)
                / Math.max(1, instructions(measured, WorkloadThreads.KINDS));
        List<String> sentences = new ArrayList<>(List.of(
                "NOT JUDGED, counts for nothing: a measured phase was marked, and there was no control by which to tell"
                        + " whether the JVM was in its steady state. Remedy: give --control and --code FILE.",
                SteadyState.jvmSentence(jvmShare)));
        if (!SteadyState.isQuiet(jvmShare)) {
            sentences.add("Remedy: run more before the phase is marked.");
        }
        return new Verdict(process.command(), false, sentences);
    }

    private static long instructions(SimulationResult.Phase phase, Set<String> kinds) {
        return phase.instructionsByThreads().entrySet().stream()
                .filter(entry -> kinds.contains(entry.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
