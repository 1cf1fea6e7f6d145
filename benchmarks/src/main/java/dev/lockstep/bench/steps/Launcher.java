package dev.lockstep.bench.steps;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine;

/** Starts commands of this command line. */
@FunctionalInterface
interface Launcher {
    /**
     * Runs a command to its end.
     *
     * @param words its name and options
     */
    Ended launch(List<String> words);

    /**
     * How a command ended.
     *
     * @param exitCode 0 when all is well
     * @param complaints what it said on standard error
     */
    record Ended(int exitCode, String complaints) {
        private static final String OURS = "lockstep: ";

        /** Why it failed, in one line. */
        String reason() {
            return complaints
                    .lines()
                    .filter(line -> line.startsWith(OURS))
                    .map(line -> line.substring(OURS.length()))
                    .findFirst()
                    .or(() -> complaints.lines().findFirst())
                    .orElse("exitCode=" + exitCode);
        }
    }

    /** Starts them in this process; what they print is not shown, since their results are read. */
    static Launcher of(Supplier<CommandLine> commands) {
        return words -> {
            StringWriter err = new StringWriter();
            int exitCode = commands.get()
                    .setOut(new PrintWriter(Writer.nullWriter()))
                    .setErr(new PrintWriter(err))
                    .execute(words.toArray(String[]::new));
            return new Ended(exitCode, err.toString());
        };
    }
}
