package dev.lockstep.bench.simulate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Where simulated cycles went: one for each instruction, the rest waiting. Branches are predicted beside the model's
 * clock, so what mispredictions would have cost stands apart.
 */
final class TimeBreakdown {
    /**
     * A refill of the front end on the machines that are simulated here; their makers and A. Fog, The
     * microarchitecture of Intel, AMD and VIA CPUs, say 10 to 20.
     */
    static final long MISPREDICTION_CYCLES = 15;

    static final String MISPREDICTIONS = "mispredictions";

    /** Names for readers by those of the counts, from what every program has to what few have. */
    private static final SequencedMap<String, String[]> PARTS = new LinkedHashMap<>();

    static {
        PARTS.put("L1-I, from L2", new String[] {"fetchL2"});
        PARTS.put("L1-D, from L2", new String[] {"dataL2"});
        PARTS.put("L2, from the last level", new String[] {"fetchLlc", "dataLlc"});
        PARTS.put("memory, code", new String[] {"fetchMemory"});
        PARTS.put("memory, data", new String[] {"dataMemory"});
        PARTS.put("other cores", new String[] {"fetchCache", "dataCache", "upgrade"});
        PARTS.put("TLB", new String[] {"translation"});
    }

    private TimeBreakdown() {}

    /** Cycles by part, instructions first; they add up to the cycles of the counts. */
    static SequencedMap<String, Long> of(SimulationResult.Counts counts) {
        SequencedMap<String, Long> cycles = new LinkedHashMap<>();
        cycles.put("instructions", counts.instructions());
        for (Map.Entry<String, String[]> part : PARTS.entrySet()) {
            long sum = 0;
            for (String stall : part.getValue()) {
                sum += counts.stalls().getOrDefault(stall, 0L);
            }
            cycles.put(part.getKey(), sum);
        }
        return cycles;
    }

    /** What mispredictions would have cost; 0 where branches are not predicted. */
    static long mispredictionCycles(SimulationResult.Branches branches) {
        return branches == null ? 0 : MISPREDICTION_CYCLES * branches.mispredicted();
    }
}
