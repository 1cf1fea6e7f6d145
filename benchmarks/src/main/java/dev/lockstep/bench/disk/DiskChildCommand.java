package dev.lockstep.bench.disk;

import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.report.Json;
import java.io.IOException;
import java.nio.file.Path;

/** A run with the profiler in a JVM of its own, started by {@link DiskCommand}. */
public final class DiskChildCommand extends ChildCommand {
    /** By which a parent calls it. */
    public static final String NAME = "disk-child";

    /** For the program that parents start. */
    public DiskChildCommand() {}

    @Override
    protected int run(Path specification, Path report) throws IOException, InterruptedException {
        Path home = report.toAbsolutePath().resolveSibling("database");
        Json.write(report, new DurableCommits(Json.read(specification, DiskSpec.class)).run(home));
        return 0;
    }
}
