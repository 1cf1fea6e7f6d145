package dev.lockstep.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonTest {
    record Figures(int misses, List<String> caches) {}

    @Test
    void figuresStandBehindWhereTheyComeFrom(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("figures.json");
        Origin origin = new Origin("./lockstep disk", "abc", "a JVM", "a processor", 7, "2026-01-01T00:00:00Z");
        Json.writeResult(file, origin, new Figures(12, List.of("32K,8,64")));
        JsonNode written = new ObjectMapper().readTree(file.toFile());
        List<String> names = new ArrayList<>();
        written.fieldNames().forEachRemaining(names::add);
        assertEquals(List.of("origin", "misses", "caches"), names);
        assertEquals("./lockstep disk", written.at("/origin/command").asText());
        assertEquals("abc", written.at("/origin/commit").asText());
        assertEquals(7, written.at("/origin/seed").asLong());
        assertEquals(12, written.at("/misses").asInt());
        assertEquals("32K,8,64", written.at("/caches/0").asText());
    }

    record Parts(double part, Double boxed, List<Double> each) {}

    @Test
    void whatIsNoNumberIsNullInAResult(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("parts.json");
        Json.writeResult(file, new Parts(Double.NaN, Double.NEGATIVE_INFINITY, List.of(0.25)));
        JsonNode written = new ObjectMapper().readTree(file.toFile());
        assertTrue(written.at("/part").isNull() && written.at("/boxed").isNull(), written::toString);
        assertEquals(0.25, written.at("/each/0").asDouble());
        Json.write(file, new Parts(Double.NaN, null, List.of()));
        assertTrue(Double.isNaN(Json.read(file, Parts.class).part()), "what a child tells its parent stays as it is");
    }
}
