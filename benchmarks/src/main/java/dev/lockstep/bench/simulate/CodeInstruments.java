package dev.lockstep.bench.simulate;

import java.io.IOException;
import java.nio.file.Path;

/** What a simulation needs of those who know operations and compiled code. Implementations are immutable. */
public interface CodeInstruments {
    /** The name of the class of the probe that marks operations. */
    String probe();

    /**
     * Finds out which code missed.
     *
     * @param lines what the plugin wrote to {@code code=FILE}
     * @param events what the agent wrote in the same process
     * @param phase whose misses
     * @throws IOException if a file is not what it should be
     */
    MissedCode missed(Path lines, Path events, int phase) throws IOException;
}
