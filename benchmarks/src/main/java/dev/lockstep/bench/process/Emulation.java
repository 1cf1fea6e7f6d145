package dev.lockstep.bench.process;

import java.nio.file.Path;
import java.util.List;

/** What a placement on simulated processors offers to commands that want to know how far to believe their figures. */
public interface Emulation {
    /** The words before a command that run it on the emulated processor and simulate nothing. */
    List<String> emulator();

    /**
     * Chooses processors for one child that notes what it executes.
     *
     * @param count 1 to {@link Placement#processorsMax}
     * @param code file for the code that it executes, from {@link #code}
     */
    Processors choose(int count, Path code);

    /** The file for the code that the next child executes: the user's, or the one proposed. */
    Path code(Path proposed);

    /** Where the agent of a child writes what was compiled, whose executed code goes to that file. */
    static Path events(Path code) {
        return code.resolveSibling(code.getFileName() + ".events");
    }

    /**
     * The file for the code that a JVM executes which {@link Placement#java} starts.
     *
     * @param process stands for the number of the process in the name of the file
     */
    String javaCode(String process);

    /** Options of the JVM by which a simulated child marks its operations, for its control as well; may be none. */
    List<String> options();

    /** Notes how far to believe a run. If it counts for nothing the command goes on, and fails in the end. */
    void judged(Verdict verdict);
}
