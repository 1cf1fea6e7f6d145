package dev.lockstep.bench.process;

import dev.lockstep.scheduler.CodeFootprints;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;

/** What {@code ./lockstep codemap --footprints} has written, as an option of a command names it. */
public final class FootprintsFile {
    private FootprintsFile() {}

    /**
     * Reads it.
     *
     * @param option that names it
     * @return footprints of each workload, in the order of the file
     * @throws IllegalArgumentException with a sentence for the user, if it cannot be read, or was measured in code that
     *     another compiler made; a file made by hand need not name any
     */
    public static Collection<CodeFootprints> read(String option, Path file) {
        Collection<CodeFootprints> measured;
        try {
            measured = CodeFootprints.read(file).values();
        } catch (IOException e) {
            throw new IllegalArgumentException(option + " cannot be read: " + e, e);
        }
        for (CodeFootprints footprints : measured) {
            if (!footprints.jvm().isEmpty() && !footprints.isOfThisJvm()) {
                throw new IllegalArgumentException(option + " " + file + " is of another JVM: jvm=\"" + footprints.jvm()
                        + "\" here=\"" + CodeFootprints.thisJvm()
                        + "\"; remedy: make it anew with ./lockstep codemap --footprints FILE, or run on that JVM");
            }
        }
        return measured;
    }
}
