package dev.lockstep.bench.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What a child JVM does: it reads what to do from one file, writes what came of it to another, and ends when its parent
 * does. No command of the command line: to make all of those takes an emulated JVM ten seconds, which is most of the
 * start of a child that does nothing else.
 */
public abstract class ChildCommand {
    private static final int SPECIFICATION = 1;
    private static final int REPORT = 2;
    private static final int WORDS = 3;

    /** For subclasses. */
    protected ChildCommand() {}

    /** The words by which a parent calls it. */
    public static List<String> words(String name, Path specification, Path report) {
        return List.of(name, specification.toString(), report.toString());
    }

    /**
     * Does what a parent asks for.
     *
     * @param words those of {@link #words}
     * @return the exit code: 1 if it ended in an exception, whose stack trace is then printed
     */
    public final int execute(String... words) {
        if (words.length != WORDS) {
            throw new IllegalArgumentException("a child is called by a name and two files: words=" + words.length);
        }
        ChildJvm.endWithParent();
        try {
            return run(Path.of(words[SPECIFICATION]), Path.of(words[REPORT]));
        } catch (IOException | InterruptedException | RuntimeException e) {
            e.printStackTrace();
            return 1;
        }
    }

    /**
     * Does it.
     *
     * @param specification what the parent wrote
     * @param report what it will read
     * @return the exit code
     */
    protected abstract int run(Path specification, Path report) throws IOException, InterruptedException;
}
