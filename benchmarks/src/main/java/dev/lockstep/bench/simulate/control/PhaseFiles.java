package dev.lockstep.bench.simulate.control;

import dev.lockstep.bench.simulate.jvm.GuestOptions;
import java.nio.file.Path;

/**
 * What {@link PhaseAgent} reads and leaves in the directory of one JVM.
 *
 * @param directory absolute, and there
 */
record PhaseFiles(Path directory) {
    /** The JVM's log of its compilations. */
    Path compilations() {
        return directory.resolve(GuestOptions.COMPILATIONS);
    }

    /** What was compiled when the measured phase began. */
    Path compiled() {
        return directory.resolve("compiled.json");
    }

    /** The stacks of all measured phases. */
    Path samples() {
        return directory.resolve("samples.txt");
    }

    /** What the program printed. */
    Path printed() {
        return directory.resolve("printed.txt");
    }
}
