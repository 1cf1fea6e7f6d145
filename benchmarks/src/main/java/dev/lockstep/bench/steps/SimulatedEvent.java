package dev.lockstep.bench.steps;

import dev.lockstep.bench.simulate.SimulationResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the simulator counts of Figures 13 and 14 of the paper. */
enum SimulatedEvent {
    /** Instructions and stalls; not a time by any clock. */
    CYCLES("cycles", "cycles"),
    /** Of simulated threads, which the JVM's own are not. */
    INSTRUCTIONS("instructions", "instructions"),
    /** Of the cache that the machine has. */
    L1I_MISSES("l1iMisses", "L1-I misses"),
    /** Likewise. */
    L1D_MISSES("l1dMisses", "L1-D misses"),
    /** Misses of the second level for instructions. */
    L2I_MISSES("l2iMisses", "L2-I misses"),
    /** And for data. */
    L2D_MISSES("l2dMisses", "L2-D misses"),
    /** Directions, indirect jumps and returns that were predicted wrongly. */
    MISPREDICTIONS("mispredictions", "mispredicted branches");

    /** The class of misses that fetches of instructions have. */
    private static final String INSTRUCTION = "instruction";

    private final String key;
    private final String title;

    SimulatedEvent(String key, String title) {
        this.key = key;
        this.title = title;
    }

    /** As in results. */
    String key() {
        return key;
    }

    /** As in tables. */
    String title() {
        return title;
    }

    /** Counts of a phase by the names in results; those that the machine does not have are absent. */
    static Map<String, Long> counts(SimulationResult.Phase phase) {
        SimulationResult.Counts total = phase.total();
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put(CYCLES.key, total.cycles());
        counts.put(INSTRUCTIONS.key, total.instructions());
        for (SimulatedEvent first : List.of(L1I_MISSES, L1D_MISSES)) {
            SimulationResult.LevelCounts level = total.levels().get(first == L1I_MISSES ? "l1i" : "l1d");
            if (level != null) {
                counts.put(first.key, level.misses());
            }
        }
        SimulationResult.LevelCounts second = total.levels().get("l2");
        if (second != null && second.classes() != null) {
            long instruction = second.classes().getOrDefault(INSTRUCTION, 0L);
            counts.put(L2I_MISSES.key, instruction);
            counts.put(L2D_MISSES.key, second.misses() - instruction);
        }
        if (phase.branches() != null) {
            counts.put(MISPREDICTIONS.key, phase.branches().mispredicted());
        }
        return counts;
    }
}
