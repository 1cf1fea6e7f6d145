package dev.lockstep.bench.codemap;

import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.report.Json;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;

/** A workload in a JVM of its own, started by {@link CodeMapCommand} under the simulator. */
@Command(
        name = CodeMapChildCommand.NAME,
        hidden = true,
        description = "Runs what a specification says; started by codemap.")
public final class CodeMapChildCommand extends ChildCommand {
    static final String NAME = "codemap-child";

    /** For picocli. */
    public CodeMapChildCommand() {}

    @Override
    protected int run(Path specification, Path report) throws IOException, InterruptedException {
        CodeMapSpec spec = Json.read(specification, CodeMapSpec.class);
        Json.write(report, new CodeMapChildRun(spec).run(report.toAbsolutePath().getParent()));
        return 0;
    }
}
