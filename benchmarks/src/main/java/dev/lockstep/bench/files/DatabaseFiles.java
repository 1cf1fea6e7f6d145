package dev.lockstep.bench.files;

import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.ResultFile;
import dev.lockstep.bench.report.Terminal;
import dev.lockstep.engine.DatabaseInUseException;
import dev.lockstep.engine.IncompleteCopyException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.NewerFormatException;
import dev.lockstep.engine.OlderFormatException;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TargetNotEmptyException;
import dev.lockstep.engine.ValueOutOfRangeException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What the commands about the files of a closed database have in common, to be mixed into each. */
final class DatabaseFiles {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Parameters(paramLabel = "DIR", description = "The directory of the database.")
    private Path directory;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the result.")
    private Path json;

    /** Of a result that somebody wants as JSON. */
    private Origin origin;

    /** What is asked about the files. */
    @FunctionalInterface
    interface Question {
        /** Whether there is nothing wrong in the answer, which it has printed. */
        boolean ask(Path directory, PrintWriter out) throws IOException;
    }

    /** Whether somebody wants the result as JSON. */
    boolean wantsJson() {
        return json != null;
    }

    /** Says how a long call gets on, if somebody watches. */
    ProgressListener progress() {
        return Terminal.isStandardError()
                ? new ProgressLines(command.commandLine().getErr())
                : ProgressListener.NONE;
    }

    /**
     * Makes sure that something is not written among the files of the database.
     *
     * @throws ParameterException if it is
     */
    void requireOutside(String option, Path written) {
        ResultFile.requireOutside(command.commandLine(), option, written, directory);
    }

    /**
     * Makes sure that the result is not written among the files of another database.
     *
     * @throws ParameterException if it is
     */
    void requireJsonOutside(Path other) {
        ResultFile.requireOutside(command.commandLine(), "--json", json, other);
    }

    /**
     * Asks, and returns the exit code for the answer.
     *
     * @throws ParameterException if the call was wrong, for the files or for what is asked of them
     * @throws IOException if the result cannot be written
     */
    int exitCode(Question question) throws IOException {
        ResultFile.require(command.commandLine(), "--json", json);
        requireJsonOutside(directory);
        if (json != null) {
            // Nothing here is at random.
            origin = Origin.here(command.commandLine().getParseResult().originalArgs(), 0);
        }
        PrintWriter out = command.commandLine().getOut();
        try {
            return question.ask(directory, out) ? 0 : 1;
        } catch (LockstepException e) {
            if (isWrongCall(e)) {
                throw new ParameterException(command.commandLine(), e.getMessage(), e);
            }
            throw e;
        } finally {
            out.flush();
        }
    }

    private static boolean isWrongCall(LockstepException e) {
        // Of a file that the system does not open or make it names the file; where a medium fails it does not.
        boolean isRefused = e instanceof StorageException && e.getCause() instanceof FileSystemException;
        return isRefused
                || e instanceof MissingFileException
                || e instanceof DatabaseInUseException
                || e instanceof IncompleteCopyException
                || e instanceof TargetNotEmptyException
                || e instanceof NewerFormatException
                || e instanceof OlderFormatException
                || e instanceof SchemaException
                || e instanceof ValueOutOfRangeException;
    }

    /** Writes the result, an object in JSON, with where it comes from, if somebody wants it. */
    void writeJson(Object result) throws IOException {
        if (json != null) {
            Json.writeResult(json, origin, result);
        }
    }
}
