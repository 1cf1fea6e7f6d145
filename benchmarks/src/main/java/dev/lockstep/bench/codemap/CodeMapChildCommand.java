package dev.lockstep.bench.codemap;

import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.report.Json;
import java.io.IOException;
import java.nio.file.Path;

/** A workload in a JVM of its own, started by {@link CodeMapCommand} under the simulator. */
public final class CodeMapChildCommand extends ChildCommand {
    /** By which a parent calls it. */
    public static final String NAME = "codemap-child";

    /** For the program that parents start. */
    public CodeMapChildCommand() {}

    @Override
    protected int run(Path specification, Path report) throws IOException, InterruptedException {
        CodeMapSpec spec = Json.read(specification, CodeMapSpec.class);
        Json.write(report, new CodeMapChildRun(spec).run(report.toAbsolutePath().getParent()));
        return 0;
    }
}
