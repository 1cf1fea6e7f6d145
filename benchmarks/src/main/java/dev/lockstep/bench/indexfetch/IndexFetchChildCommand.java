package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.report.Json;
import dev.lockstep.counters.Markers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** One kind in a JVM of its own, started by {@link IndexFetchCommand}. */
public final class IndexFetchChildCommand extends ChildCommand {
    /** By which a parent calls it. */
    public static final String NAME = "indexfetch-child";

    /** For the program that parents start. */
    public IndexFetchChildCommand() {}

    @Override
    protected int run(Path specification, Path report) throws IOException, InterruptedException {
        FetchSpec spec = Json.read(specification, FetchSpec.class);
        Path directory = report.toAbsolutePath().getParent();
        if (Markers.isSimulated()) {
            Optional<String> obstacle = Markers.obstacle();
            if (obstacle.isPresent()) {
                System.err.println("lockstep: rounds cannot be marked: " + obstacle.get());
                return 1;
            }
        }
        if (Markers.isSimulated() || spec.samples() != null) {
            Json.write(report, new CountedFetchChild(spec).run(directory));
        } else {
            Json.write(report, new FetchChild(spec).run(directory));
        }
        return 0;
    }
}
