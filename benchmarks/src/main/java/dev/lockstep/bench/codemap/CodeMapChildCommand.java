package dev.lockstep.bench.codemap;

import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.report.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A workload in a JVM of its own, started by {@link CodeMapCommand} under the simulator. */
@Command(
        name = CodeMapChildCommand.NAME,
        hidden = true,
        description = "Runs what a specification says; started by codemap.")
public final class CodeMapChildCommand implements Callable<Integer> {
    static final String NAME = "codemap-child";

    @Option(names = "--spec", required = true)
    private Path specification;

    @Option(names = "--report", required = true)
    private Path report;

    /** For picocli. */
    public CodeMapChildCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        ChildJvm.endWithParent();
        CodeMapSpec spec = Json.read(specification, CodeMapSpec.class);
        Json.write(report, new CodeMapChildRun(spec).run(report.toAbsolutePath().getParent()));
        return 0;
    }
}
