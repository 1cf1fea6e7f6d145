package dev.lockstep.bench.report;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** A file that a command is asked to write its result to. */
public final class ResultFile {
    private ResultFile() {}

    /**
     * Makes sure that a file can be written, which is better known before an experiment than after.
     *
     * @param line of the command
     * @param option that names the file
     * @param file or null where none is asked for
     * @throws ParameterException if it cannot, with a sentence for the user
     */
    public static void require(CommandLine line, String option, Path file) {
        if (file == null) {
            return;
        }
        Path directory = file.toAbsolutePath().getParent();
        boolean writable = directory != null
                && Files.isDirectory(directory)
                && !Files.isDirectory(file)
                && Files.isWritable(Files.exists(file) ? file : directory);
        if (!writable) {
            throw new ParameterException(
                    line,
                    option + " " + file + " cannot be written: is its directory there, and may it be written to?");
        }
    }
}
