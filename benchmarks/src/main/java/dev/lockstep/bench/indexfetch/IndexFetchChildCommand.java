package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.report.Json;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;

/** One kind in a JVM of its own, started by {@link IndexFetchCommand}. */
@Command(
        name = IndexFetchChildCommand.NAME,
        hidden = true,
        description = "Runs what a specification says; started by indexfetch.")
public final class IndexFetchChildCommand extends ChildCommand {
    static final String NAME = "indexfetch-child";

    /** For picocli. */
    public IndexFetchChildCommand() {}

    @Override
    protected int run(Path specification, Path report) throws IOException, InterruptedException {
        FetchSpec spec = Json.read(specification, FetchSpec.class);
        Json.write(report, new FetchChild(spec).run(report.toAbsolutePath().getParent()));
        return 0;
    }
}
