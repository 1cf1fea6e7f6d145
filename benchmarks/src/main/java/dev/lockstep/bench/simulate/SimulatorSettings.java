package dev.lockstep.bench.simulate;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a program is run under the simulator, beside the machine.
 *
 * @param stepInstructions how far a processor may be ahead of the slowest one; 0: processors run as they like
 * @param turnInstructions length of a turn of threads that share a processor
 * @param buffers whether the buffers of read and write calls are touched
 * @param engineThreads whether the database's own threads, which write its log and its pages, run on the simulated
 *     processors too
 * @param jvmThreads whether the JVM's own threads run on the simulated processors too
 * @param fromFirstPhase whether the model is fed in marked phases only: what a program does before and after, such as
 *     warming up, runs several times as fast then
 * @param branches sizes of the branch predictors, COUNTERS:TARGETS:INDIRECT:RETURNS, or null for none
 * @param code file for the executed lines of code, or null
 * @param trace file for the instructions of single operations, or null
 */
public record SimulatorSettings(
        long stepInstructions,
        long turnInstructions,
        boolean buffers,
        boolean engineThreads,
        boolean jvmThreads,
        boolean fromFirstPhase,
        String branches,
        Path code,
        Path trace) {
    /** What the plugin does by itself. */
    public static final SimulatorSettings DEFAULT =
            new SimulatorSettings(200, 1_000_000, true, false, false, false, null, null, null);

    /** Refuses what the plugin would. */
    public SimulatorSettings {
        if (stepInstructions < 0 || turnInstructions < 1) {
            throw new IllegalArgumentException(
                    "--step is 0 or more and --turn 1 or more: step=" + stepInstructions + " turn=" + turnInstructions);
        }
    }

    /** The same with executed lines in a file. */
    public SimulatorSettings withCode(Path file) {
        return new SimulatorSettings(
                stepInstructions,
                turnInstructions,
                buffers,
                engineThreads,
                jvmThreads,
                fromFirstPhase,
                branches,
                file,
                trace);
    }

    /** The same with traces of operations in a file. */
    public SimulatorSettings withTrace(Path file) {
        return new SimulatorSettings(
                stepInstructions,
                turnInstructions,
                buffers,
                engineThreads,
                jvmThreads,
                fromFirstPhase,
                branches,
                code,
                file);
    }

    /** The same, fed in marked phases only or always. */
    public SimulatorSettings withFromFirstPhase(boolean only) {
        return new SimulatorSettings(
                stepInstructions, turnInstructions, buffers, engineThreads, jvmThreads, only, branches, code, trace);
    }

    /** Arguments of the plugin, {@code key=value}. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>(List.of(
                "step=" + stepInstructions,
                "turn=" + turnInstructions,
                "buffers=" + (buffers ? "on" : "off"),
                "engine=" + (engineThreads ? "on" : "off"),
                "jvm=" + (jvmThreads ? "on" : "off"),
                "wait=" + (fromFirstPhase ? "on" : "off")));
        if (branches != null) {
            arguments.add("branches=" + branches);
        }
        if (code != null) {
            arguments.add("code=" + code.toAbsolutePath());
        }
        if (trace != null) {
            arguments.add("trace=" + trace.toAbsolutePath());
        }
        return arguments;
    }
}
