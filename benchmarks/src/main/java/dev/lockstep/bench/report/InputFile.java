package dev.lockstep.bench.report;

import java.nio.file.Files;
import java.nio.file.Path;

/** A file that a command is asked to read. */
public final class InputFile {
    private InputFile() {}

    /** Whether it can be read, unlike a directory, which may be listed. */
    public static boolean isReadable(Path file) {
        return Files.isReadable(file) && !Files.isDirectory(file);
    }
}
