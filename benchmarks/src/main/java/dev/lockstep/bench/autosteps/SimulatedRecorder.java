package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.simulate.CacheShape;
import dev.lockstep.bench.switchpoints.CheckReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine;

/** Runs the program under {@code ./lockstep simulate}. Used by one thread. */
final class SimulatedRecorder implements TraceRecorder {
    /** One recording of a search of many minutes that happens not to be steady shall not end it. */
    private static final int TRIES_MAX = 3;

    private final Supplier<CommandLine> simulate;
    private final List<String> program;
    private final CacheShape shape;
    private final Path directory;
    private final PrintWriter err;
    private final Consumer<String> progress;
    private int runs;

    /**
     * For one program.
     *
     * @param simulate makes the command line of {@code ./lockstep simulate}
     * @param program what stands behind its {@code --}
     * @param directory for its files, which are large
     * @param err where the program and the simulator complain
     * @param progress is told what begins
     */
    SimulatedRecorder(
            Supplier<CommandLine> simulate,
            List<String> program,
            CacheShape shape,
            Path directory,
            PrintWriter err,
            Consumer<String> progress) {
        this.simulate = simulate;
        this.program = List.copyOf(program);
        this.shape = shape;
        this.directory = directory;
        this.err = err;
        this.progress = progress;
    }

    /** Records again where the JVM was not steady: when it compiles what is for itself alone to decide. */
    @Override
    public TraceFile record(Path points) throws RecordingException, IOException {
        for (int tries = 1; ; tries++) {
            try {
                return recordOnce(points);
            } catch (NotSteadyException e) {
                if (tries == TRIES_MAX) {
                    throw e;
                }
            }
        }
    }

    private TraceFile recordOnce(Path points) throws RecordingException, IOException {
        runs++;
        progress.accept("run " + runs + ": records a trace "
                + (points == null ? "without points" : "with the points in the bytecode") + ", which takes minutes");
        Path trace = directory.resolve("trace-" + runs + ".txt");
        Path code = directory.resolve("code-" + runs + ".txt");
        List<String> words = new ArrayList<>(List.of("--code", code.toString(), "--trace", trace.toString()));
        if (points != null) {
            words.addAll(List.of("--switch-points", points.toString()));
        }
        int exitCode = run(words);
        Files.deleteIfExists(code);
        if (!Files.exists(trace)) {
            throw failed("left no trace", exitCode);
        }
        if (exitCode != CommandLine.ExitCode.OK) {
            throw new NotSteadyException(
                    message("was not in its steady state, so that its trace counts for nothing", exitCode));
        }
        try {
            return TraceFile.read(trace);
        } catch (TraceFormatException e) {
            throw new RecordingException(e.getMessage(), e);
        }
    }

    @Override
    public CheckReport check(Path points) throws RecordingException, IOException {
        runs++;
        progress.accept("run " + runs + ": checks what is held where points are passed, which takes minutes");
        Path report = directory.resolve("check-" + runs + ".txt");
        int exitCode = run(List.of("--switch-points", points.toString(), "--check-points", report.toString()));
        if (!Files.exists(report)) {
            throw failed("left no report of the check", exitCode);
        }
        // Whether it was in its steady state does not matter here.
        if (exitCode != CommandLine.ExitCode.OK && exitCode != CommandLine.ExitCode.SOFTWARE) {
            throw failed("failed, so that what it has checked counts for nothing", exitCode);
        }
        return CheckReport.read(report);
    }

    private int run(List<String> options) {
        List<String> words = new ArrayList<>(List.of("--l1i", shape.text(), "--operations"));
        words.addAll(options);
        words.add("--");
        words.addAll(program);
        return simulate.get()
                .setOut(new PrintWriter(Writer.nullWriter()))
                .setErr(err)
                .execute(words.toArray(String[]::new));
    }

    private RecordingException failed(String what, int exitCode) {
        return new RecordingException(message(what, exitCode));
    }

    private String message(String what, int exitCode) {
        return "The simulated command " + what + ": exitCode=" + exitCode + " command=" + String.join(" ", program)
                + "; remedy: run it alone, ./lockstep simulate --operations -- COMMAND";
    }

    /** A recording that may succeed when it is tried again. */
    private static final class NotSteadyException extends RecordingException {
        private static final long serialVersionUID = 1;

        NotSteadyException(String message) {
            super(message);
        }
    }
}
