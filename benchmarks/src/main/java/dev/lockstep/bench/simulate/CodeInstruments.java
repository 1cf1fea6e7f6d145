package dev.lockstep.bench.simulate;

import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What a simulation needs of those who know operations and compiled code. Implementations are immutable. */
public interface CodeInstruments {
    /** The name of the class of the probe that marks operations. */
    String probe();

    /**
     * Finds out which code missed, and how often continuations were switched.
     *
     * @param lines what the plugin wrote to {@code code=FILE}
     * @param events what the agent wrote in the same process
     * @param phase whose misses and switches
     * @throws IOException if a file is not what it should be
     */
    ExecutedCode executed(Path lines, Path events, int phase) throws IOException;

    /**
     * Writes a code map: what each operation executes.
     *
     * @param runs of JVMs like this one, whose operations were marked
     * @param origin what made it
     * @throws IOException if a file of a run is not what it should be, or the map cannot be written
     */
    void map(List<CodeRun> runs, Origin origin, Path into) throws IOException;

    /**
     * Tells whether a simulated JVM was in the steady state of its control.
     *
     * @param lines what the plugin wrote to {@code code=FILE}
     * @param events what the agent wrote in the same process
     * @param compiled what the simulated JVM had compiled when its measured phase began
     * @param samples file of the control's stacks
     * @param control what the control had compiled
     * @throws IOException if a file is not what it should be
     */
    SteadyState steadyState(
            Path lines, Path events, List<CompiledMethod> compiled, Path samples, List<CompiledMethod> control)
            throws IOException;

    /**
     * Adds to the traces of operations what these are called, and what lies at the addresses.
     *
     * @param raw what the plugin wrote to {@code trace=FILE}
     * @param events what the agent wrote in the same process, or null if nothing
     * @param points file of the switch points that it had in its bytecode, or null if none
     * @param into file that takes all of it
     * @return whether there are traces; otherwise nothing is written
     * @throws IOException if a file is not what it should be, cut short for example, or cannot be written
     */
    boolean nameTrace(Path raw, List<MarkedOperation> operations, Path events, Path points, Path into)
            throws IOException;
}
