package dev.lockstep.bench.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.SimulationResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.Result;

class SimulatedProfilerTest {
    private static final String COUNTS =
            """
            {"instructions": 5000, "loads": 1000, "stores": 250,
             "levels": {"l1i": {"accesses": 4000, "misses": 100}, "l1d": {"accesses": 1250, "misses": 50}},
             "itlbMisses": 20, "dtlbMisses": 0, "observerMisses": [300, 5]}
            """;

    private static SimulationResult read(Path directory, int phase) throws IOException {
        Path file = Files.writeString(
                directory.resolve("result.json"),
                "{\"format\": 1, \"phases\": [{\"phase\": " + phase + ", \"total\": " + COUNTS + "}]}");
        return Json.read(file, SimulationResult.class);
    }

    private static double score(List<Result<?>> results, String name) {
        return results.stream()
                .filter(result -> result.getLabel().equals(name))
                .mapToDouble(Result::getScore)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void dividesTheMeasuredPhaseByItsOperations(@TempDir Path directory) throws IOException {
        List<Result<?>> results = SimulatedProfiler.perOperation(read(directory, 1), 100);
        assertEquals(50, score(results, "simulated.instructions"));
        assertEquals(10, score(results, "simulated.loads"));
        assertEquals(2.5, score(results, "simulated.stores"));
        assertEquals(1, score(results, "simulated.l1i.misses"));
        assertEquals(0.5, score(results, "simulated.l1d.misses"));
        assertEquals(3, score(results, "simulated.observer1.misses"));
        assertEquals(0.05, score(results, "simulated.observer2.misses"));
        assertEquals(0.2, score(results, "simulated.itlb.misses"));
        assertEquals(0, score(results, "simulated.dtlb.misses"));
        assertEquals("#/op", results.getFirst().getScoreUnit());
    }

    @Test
    void whatWasNotMeasuredIsNotReported(@TempDir Path directory) throws IOException {
        assertEquals(List.of(), SimulatedProfiler.perOperation(read(directory, 0), 100));
        assertEquals(List.of(), SimulatedProfiler.perOperation(read(directory, 1), 0));
    }

    @Test
    void needsASimulatedForkOrItsResult() throws ProfilerException {
        ProfilerException refused =
                assertThrows(ProfilerException.class, () -> new SimulatedProfiler("", false, Optional.of("why")));
        assertTrue(refused.getMessage().contains("./lockstep simulate"), refused.getMessage());
        ProfilerException unmarked =
                assertThrows(ProfilerException.class, () -> new SimulatedProfiler("", true, Optional.of("why")));
        assertEquals("why", unmarked.getMessage());
        assertTrue(new SimulatedProfiler("result=x", false, Optional.of("why")).allowPrintOut());
        assertTrue(new SimulatedProfiler("", true, Optional.empty()).allowPrintErr());
    }

    @Test
    void forksAreBoundToTheSimulatedMachine() throws ProfilerException {
        assertEquals(
                List.of(
                        "-Ddev.lockstep.scheduler.time=dev.lockstep.bench.simulate.jvm.SimulatedTime",
                        "-Ddev.lockstep.scheduler.binding=dev.lockstep.bench.simulate.jvm.BoundMachine"),
                List.copyOf(new SimulatedProfiler("result=x", false, Optional.of("why")).addJVMOptions(null)));
        assertEquals(List.of(), List.copyOf(new SimulatedProfiler("", true, Optional.empty()).addJVMOptions(null)));
    }
}
