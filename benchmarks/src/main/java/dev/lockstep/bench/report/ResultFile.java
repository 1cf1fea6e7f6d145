package dev.lockstep.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** A file that a command is asked to write its result to. */
public final class ResultFile {
    /** As many as Linux follows. */
    private static final int LINKS_MAX = 40;

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

    /**
     * Makes a directory, if need be, and makes sure that it can be written to.
     *
     * @param line of the command
     * @param option that names the directory
     * @throws ParameterException if it cannot, with a sentence for the user
     */
    public static void requireDirectory(CommandLine line, String option, Path directory) {
        String named = option + " " + directory;
        if (Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new ParameterException(line, named + " is a file: name a directory");
        }
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new ParameterException(line, named + " cannot be made: " + e.getMessage(), e);
        }
        if (!Files.isWritable(directory)) {
            throw new ParameterException(line, named + " cannot be written to: choose another one");
        }
    }

    /**
     * Makes sure that nothing is written among the files of a database.
     *
     * @param line of the command
     * @param option that names the file or directory
     * @param written where something is to be written, or null where nothing is
     * @param database the directory of the database, there already or not
     * @throws ParameterException if one lies in the other, with a sentence for the user
     */
    public static void requireOutside(CommandLine line, String option, Path written, Path database) {
        if (written == null) {
            return;
        }
        boolean isInside;
        try {
            isInside = real(written, 0).startsWith(real(database, 0));
        } catch (IOException e) {
            throw new ParameterException(line, option + " " + written + " cannot be looked at: " + e, e);
        }
        if (isInside) {
            throw new ParameterException(
                    line,
                    option + " " + written + " lies among the files of the database in " + database
                            + ": choose another place");
        }
    }

    /** Where a path leads to, of which neither the end nor what a link on the way names need exist. */
    private static Path real(Path path, int links) throws IOException {
        if (Files.exists(path)) {
            return path.toRealPath();
        }
        Path absolute = path.toAbsolutePath();
        if (absolute.getParent() == null) {
            return absolute;
        }
        if (Files.isSymbolicLink(absolute) && links < LINKS_MAX) {
            return real(absolute.resolveSibling(Files.readSymbolicLink(absolute)), links + 1);
        }
        return real(absolute.getParent(), links).resolve(absolute.getFileName()).normalize();
    }
}
