package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.switchpoints.SwitchPointAgent;
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
        if (kind != FetchKind.INSERTED) {
            return List.of();
        }
        Path jar = scratch.resolve("switch-points.jar").toAbsolutePath();
        SwitchPointAgent.writeJar(jar);
        return List.of("-javaagent:" + jar + "=" + file.toAbsolutePath());
    }
}
