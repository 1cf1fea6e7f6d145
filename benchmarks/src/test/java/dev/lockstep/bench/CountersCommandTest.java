package dev.lockstep.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.PointPlot;
import dev.lockstep.bench.report.Report;
import dev.lockstep.counters.CacheGeometry;
import dev.lockstep.counters.CounterEvent;
import dev.lockstep.counters.CounterObstacle;
import dev.lockstep.counters.NativePart;
import dev.lockstep.counters.Topology;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CountersCommandTest {
    private static final Machine MACHINE = new Machine("a processor", 4, 1 << 30, "an os", "never");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    private static String text(
            CountersReport.Counters counters, List<CounterObstacle> obstacles, Topology topology, String obstacle) {
        return report(counters, obstacles, topology, obstacle).text();
    }

    private static CountersReport report(
            CountersReport.Counters counters, List<CounterObstacle> obstacles, Topology topology, String obstacle) {
        return new CountersReport(
                "2026-01-01T00:00:00Z",
                "0.1.0",
                null,
                "25",
                MACHINE,
                counters,
                obstacles,
                topology,
                obstacle,
                Map.of(NativePart.AGENT, "there"),
                false);
    }

    @Test
    void answersOnThisMachine(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("machine.json");
        Path page = directory.resolve("page");
        assertEquals(0, execute("counters", "--json", json.toString(), "--out", page.toString()), err::toString);
        assertTrue(Files.readString(page.resolve("report.html")).contains("Native parts"));
        assertTrue(Files.size(page.resolve("result.json")) > 0);
        assertTrue(out.toString().contains("Hardware counters"), out.toString());
        assertTrue(out.toString().contains("Topology"), out.toString());
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertEquals(Machine.here().processor(), report.at("/machine/processor").asText());
        // Either counters or the reasons why there are none.
        assertEquals(report.get("obstacles").isEmpty(), report.has("counters"));
        for (JsonNode obstacle : report.get("obstacles")) {
            assertTrue(out.toString().contains(obstacle.get("reason").asText()), out.toString());
        }
        assertEquals(report.has("topology"), !report.has("topologyObstacle"));
        assertFalse(report.get("simulated").asBoolean());
    }

    @Test
    void aFileThatCannotBeWrittenIsAWrongCall(@TempDir Path directory) {
        assertEquals(
                2,
                execute("counters", "--json", directory.resolve("none/x.json").toString()));
        assertTrue(err.toString().contains("cannot be written"), err.toString());
    }

    @Test
    void showsWhatCountsAnEventAndWhatCannotBeCounted() {
        String text = text(
                new CountersReport.Counters(
                        "7.0.0",
                        6,
                        Map.of(CounterEvent.INSTRUCTIONS, "PAPI_TOT_INS"),
                        Map.of(CounterEvent.L2_MISSES, "Event does not exist")),
                List.of(),
                null,
                "It does not tell.");
        assertTrue(text.contains("6 a processor, read by PAPI 7.0.0"), text);
        assertTrue(text.matches("(?s).*instructions +PAPI_TOT_INS\n.*"), text);
        assertTrue(text.matches("(?s).*L2 misses +not: Event does not exist\n.*"), text);
        assertTrue(text.contains("Topology\n  It does not tell.\n"), text);
    }

    @Test
    void drawsTheFirstCacheOfEachKind() {
        Topology topology = new Topology(
                List.of(new Topology.Processor(0, 0, 0, List.of(0), 0)),
                List.of(
                        new Topology.Cache(
                                1, Topology.CacheKind.INSTRUCTION, new CacheGeometry(32 << 10, 8, 64), List.of(0)),
                        new Topology.Cache(
                                1, Topology.CacheKind.INSTRUCTION, new CacheGeometry(64 << 10, 8, 64), List.of(1)),
                        new Topology.Cache(
                                3, Topology.CacheKind.UNIFIED, new CacheGeometry(16 << 20, 16, 64), List.of(0, 1))),
                List.of());
        Report page = report(null, List.of(), topology, null)
                .page(new Origin("./lockstep counters", "abc", "JVM", "CPU", 0, "2026-01-01T00:00:00Z"));
        PointPlot plot = (PointPlot) page.plots().getFirst();
        assertEquals(List.of("L1-I", "L3"), plot.points());
        assertEquals(List.of(32.0, 16384.0), plot.series().getFirst().values());
    }

    @Test
    void showsWhoSharesWhat() {
        Topology topology = new Topology(
                List.of(
                        new Topology.Processor(0, 0, 0, List.of(0, 1), 0),
                        new Topology.Processor(1, 0, 0, List.of(0, 1), 0),
                        new Topology.Processor(2, Topology.UNKNOWN, 1, List.of(2), Topology.UNKNOWN)),
                List.of(new Topology.Cache(
                        1, Topology.CacheKind.INSTRUCTION, new CacheGeometry(32 << 10, 0, 64), List.of(0, 1))),
                List.of(
                        new Topology.Node(0, List.of(0, 1), 1 << 20, List.of(10, 21)),
                        new Topology.Node(1, List.of(), (3L << 30) + (1 << 29), List.of())));
        String text =
                text(null, List.of(new CounterObstacle(CounterObstacle.Kind.NOT_EXPOSED, "Not here.")), topology, null);
        assertTrue(text.contains("  none\n  Not here.\n"), text);
        assertTrue(text.contains("2 packages, 2 cores, 3 processors, 2 memory nodes\n"), text);
        assertTrue(text.matches("(?s).*\n +0 +0 +0 +0 +with 1\n.*"), text);
        assertTrue(text.matches("(?s).*\n +2 +not told +1 +not told +alone\n.*"), text);
        assertTrue(text.matches("(?s).*\n +L1-I +32 KiB +not told +64 B +0 1\n.*"), text);
        assertTrue(text.matches("(?s).*\n +0 +1 MiB +0 1 +10 21\n.*"), text);
        assertTrue(text.matches("(?s).*\n +1 +3.5 GiB +none +not told\n.*"), text);
    }
}
