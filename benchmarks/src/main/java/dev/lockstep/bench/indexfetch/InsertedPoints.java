package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.switchpoints.AgentOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The switch points of {@link FetchKind#INSERTED}.
 *
 * @param file of the points, or null where that kind is not run
 */
record InsertedPoints(Path file) {
    /** Options of the JVM that runs a kind. */
    List<String> options(FetchKind kind, Path scratch) throws IOException {
        return kind == FetchKind.INSERTED ? new AgentOptions(file, null).write(scratch) : List.of();
    }
}
