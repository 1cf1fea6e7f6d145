package dev.lockstep.system.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.prove.TrackedMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The soak: in the nightly profile alone, where it begins first, in a JVM of its own, because it looks at all that its
 * process holds. What it saw stays in {@code target/nightly/soak}, plotted.
 */
@Tag(ProofRun.NIGHTLY)
@Order(1)
class AnHourOfEverythingTest {
    private static final Path REPORT = Path.of("target", "nightly", "soak");

    @TempDir
    Path directory;

    @Test
    void leavesNothingBehind() throws Exception {
        List<String> printed = new ArrayList<>();
        int exitCode = ChildJvm.run(
                Processors.choose(1),
                directory,
                Map.of(),
                List.of(TrackedMemory.OPTION),
                Main.class.getName(),
                List.of(
                        "prove",
                        "soak",
                        "--seed",
                        Long.toString(ProofRun.SEED),
                        "--out",
                        REPORT.toAbsolutePath().toString()),
                printed::add);
        assertEquals(0, exitCode, () -> String.join("\n", printed));
        JsonNode counts = new ObjectMapper()
                .readTree(REPORT.resolve("result.json").toFile())
                .at("/report/counts");
        for (String name : List.of(
                "backups taken",
                "compactions",
                "pages given back by compactions",
                "checkpoints asked for",
                "old rows moved to the archive",
                "rows read by the scanning reader")) {
            assertTrue(counts.path(name).asLong() > 0, () -> name + ": " + counts);
        }
    }
}
