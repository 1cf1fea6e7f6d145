package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.report.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineWarningsTest {
    @TempDir
    private Path directory;

    private RunReport run(String engine, double crowding, double largePagePart) throws IOException {
        return read(String.format(
                Locale.ROOT,
                "{\"configuration\": {\"engine\": \"%s\"}, \"crowding\": %f, \"largePagePart\": %f}",
                engine,
                crowding,
                largePagePart));
    }

    private RunReport read(String text) throws IOException {
        Path file = directory.resolve("run.json");
        Files.writeString(file, text);
        return Json.read(file, RunReport.class);
    }

    @Test
    void runsThatAreAlikeCanBeCompared() throws IOException {
        assertEquals(List.of(), MachineWarnings.of(List.of()));
        assertEquals(
                List.of(),
                MachineWarnings.of(List.of(
                        run("lockstep", 0.7, 0.99),
                        run("lockstep", 0.76, 0.95),
                        run("plain", 0.9, 0.1),
                        read("{\"configuration\": {\"engine\": \"lockstep\"}}"))));
    }

    @Test
    void aCrowdedCoreIsTold() throws IOException {
        List<String> lines = MachineWarnings.of(List.of(run("lockstep", 0.9, 0.99), run("lockstep", 0.7, 0.99)));
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().contains("crowding 0.700 to 0.900"), lines::toString);
    }

    @Test
    void memoryInPiecesIsTold() throws IOException {
        List<String> lines = MachineWarnings.of(List.of(run("lockstep", 0.7, 0.99), run("lockstep", 0.7, 0.5)));
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().contains("between 50 and 99 %"), lines::toString);
    }

    private RunReport ofThreads(String engine, String microsByThread) throws IOException {
        return read("{\"configuration\": {\"engine\": \"" + engine + "\", \"scheduler\": \"jdk\", \"variant\": \"\","
                + " \"grouping\": \"\"}, \"cpuMicrosPerTransaction\": 100, \"cpuMicrosByThread\": {"
                + microsByThread
                + "}}");
    }

    @Test
    void aJvmThatStillCompilesIsTold() throws IOException {
        List<String> lines = MachineWarnings.of(List.of(
                ofThreads("lockstep", "\"JVM\": 16, \"main\": 84"),
                ofThreads("lockstep", "\"JVM\": 46, \"main\": 54"),
                ofThreads("plain", "\"JVM\": 80, \"main\": 20")));
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().contains("processor time: lockstep/jdk 46 %: ratios"), lines::toString);
    }

    @Test
    void aWarmJvmAndOneOfWhoseThreadsNothingIsKnownAreNot() throws IOException {
        assertEquals(
                List.of(),
                MachineWarnings.of(List.of(
                        ofThreads("lockstep", "\"JVM\": 15, \"main\": 85"), ofThreads("lockstep", "\"JVM\": 100"))));
    }
}
