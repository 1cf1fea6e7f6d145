package dev.lockstep.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.process.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JmhReportTest {
    @TempDir
    Path directory;

    private JsonNode written(List<Verdict> verdicts) throws IOException {
        Path file = directory.resolve("result.json");
        JmhReport.of(List.of("Key"), 1, List.of(), verdicts).write(file);
        return new ObjectMapper().readTree(file.toFile());
    }

    @Test
    void saysHowFarToBelieveSimulatedForks() throws IOException {
        JsonNode verdict = written(List.of(new Verdict("Key", false, List.of("NOT STEADY, counts for nothing."))))
                .at("/verdicts/0");
        assertEquals("Key", verdict.get("run").asText());
        assertEquals(false, verdict.get("counts").asBoolean(true));
        assertEquals(
                "NOT STEADY, counts for nothing.", verdict.at("/sentences/0").asText());
        assertTrue(written(List.of()).at("/verdicts").isMissingNode());
    }
}
