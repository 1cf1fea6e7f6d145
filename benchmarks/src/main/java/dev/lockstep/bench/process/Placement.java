package dev.lockstep.bench.process;

import java.nio.file.Path;
import java.util.Optional;

/** Where the child processes of a command may run: on this machine's processors, or on simulated ones. */
public interface Placement {
    /** Processors that a child may have at most. */
    int processorsMax();

    /**
     * Chooses processors for a child.
     *
     * @param count 1 to {@link #processorsMax}
     */
    Processors choose(int count);

    /** The program that children of others, such as JMH's, are started with in place of this JVM's; empty for that. */
    default Optional<Path> java() {
        return Optional.empty();
    }

    /**
     * The file in which a process that {@link #java} started leaves what was counted in it; empty where nothing is.
     *
     * @param process stands for the number of the process in the name of the file
     */
    default Optional<String> javaResult(String process) {
        return Optional.empty();
    }

    /** How children are simulated; empty where they are not. */
    default Optional<Emulation> emulation() {
        return Optional.empty();
    }

    /** The processors of this machine. */
    static Placement ofMachine() {
        return new Placement() {
            @Override
            public int processorsMax() {
                return Processors.available();
            }

            @Override
            public Processors choose(int count) {
                return Processors.choose(count);
            }
        };
    }
}
