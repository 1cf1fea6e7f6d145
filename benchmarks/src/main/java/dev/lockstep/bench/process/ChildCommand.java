package dev.lockstep.bench.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/**
 * A command that runs in a child JVM: it reads what to do from one file, writes what came of it to another, and ends
 * when its parent does. Hidden from people.
 */
public abstract class ChildCommand implements Callable<Integer> {
    private static final String SPECIFICATION = "--spec";
    private static final String REPORT = "--report";

    @Option(names = SPECIFICATION, required = true)
    private Path specification;

    @Option(names = REPORT, required = true)
    private Path report;

    /** For subclasses. */
    protected ChildCommand() {}

    /** The words by which a parent calls it. */
    public static List<String> words(String name, Path specification, Path report) {
        return List.of(name, SPECIFICATION, specification.toString(), REPORT, report.toString());
    }

    @Override
    public final Integer call() throws IOException, InterruptedException {
        ChildJvm.endWithParent();
        return run(specification, report);
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
