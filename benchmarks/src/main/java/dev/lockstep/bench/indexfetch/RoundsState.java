package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import java.util.List;

/**
 * What a JVM that executed rounds, simulated or as the control, tells beside its counts. Immutable.
 *
 * @param time by which it waited
 * @param compiled what it had compiled before the first round that counts
 */
record RoundsState(String time, List<CompiledMethod> compiled) {
    /** File in the directory of the report. */
    static final String FILE = "state.json";

    RoundsState {
        compiled = List.copyOf(compiled);
    }
}
