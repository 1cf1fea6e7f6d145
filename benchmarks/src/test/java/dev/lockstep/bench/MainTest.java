package dev.lockstep.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.jmh.BenchmarkSeed;
import dev.lockstep.bench.process.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    @Test
    void printsItsVersion() {
        assertEquals(0, execute("--version"));
        assertTrue(out.toString().matches("(?s)lockstep \\d+\\.\\d+\\.\\d+\\RJDK \\d+.*"), out.toString());
    }

    @Test
    void printsItsHelp() {
        assertEquals(0, execute("--help"));
        assertTrue(out.toString().startsWith("Usage: ./lockstep"), out.toString());
    }

    @Test
    void jmhWritesItsResultsWithTheMachineAndTheSeed(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("result.json");
        assertEquals(
                0,
                execute(
                        "jmh",
                        "KeyBenchmark",
                        "--json",
                        json.toString(),
                        "--seed",
                        "7",
                        "--",
                        "-f",
                        "0",
                        "-wi",
                        "0",
                        "-i",
                        "1",
                        "-r",
                        "1ms",
                        "-v",
                        "SILENT"),
                err::toString);
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertEquals(7, report.get("seed").asLong());
        assertEquals(Machine.here().processor(), report.at("/machine/processor").asText());
        assertEquals(Runtime.version().toString(), report.get("jvm").asText());
        assertTrue(report.get("results").size() > 0);
        assertTrue(report.at("/results/0/primaryMetric/score").asDouble() > 0);
        assertEquals("7", System.getProperty(BenchmarkSeed.PROPERTY));
    }

    @Test
    void aWrongCallEndsWithTwo() {
        assertEquals(2, execute("--no-such-option"));
        assertEquals(2, execute("no-such-command"));
        assertEquals(2, execute());
        assertTrue(err.toString().contains("No command is named."), err.toString());
        assertEquals("", out.toString());
    }
}
