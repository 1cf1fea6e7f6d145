package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.bench.Needed;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import picocli.CommandLine;

/** TPC-C on a simulated machine, as a user calls it. */
@Execution(ExecutionMode.CONCURRENT)
class SimulatedTpccTest {
    @TempDir
    Path directory;

    /** A JVM that compiles little: all is measured, and it is said that it counts for nothing. */
    @Test
    void aRunThatIsNotSteadyFails() throws IOException {
        Needed.requireSimulator();
        Needed.require(NativePart.AGENT);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Path tpcc = directory.resolve("tpcc.json");
        Path simulation = directory.resolve("simulation.json");
        Path map = directory.resolve("map.json");
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        int exitCode = commandLine.execute(
                "simulate",
                "--l1i",
                "32K,8,64",
                "--json",
                simulation.toString(),
                "--operations",
                "--code",
                directory.resolve("code.txt").toString(),
                "--code-map",
                map.toString(),
                "--",
                "tpcc",
                "--shrink=100",
                // Without C2 it is not steady however long it runs, and its start takes half as long.
                "--jvm-option=-XX:TieredStopAtLevel=1",
                // To make the usual one takes an emulated JVM twenty seconds.
                "--pool=16m",
                "--scheduler",
                "steps",
                "--durability",
                "async",
                "--warmup-transactions",
                "50",
                "--transactions",
                "50",
                "--dir",
                directory.toString(),
                "--json",
                tpcc.toString());
        String text = out + "\n" + err;
        assertEquals(1, exitCode, text);
        assertTrue(err.toString().contains("NOT STEADY, counts for nothing"), text);

        JsonNode check = new ObjectMapper().readTree(tpcc.toFile()).at("/simulations/0");
        assertTrue(check.at("/time").asText().startsWith("simulated cycles"), check::toString);
        assertEquals(0, check.at("/flags/remaining").size(), check::toString);
        assertEquals(0, check.at("/steady/simulatedC2Share").asDouble(), check::toString);
        assertTrue(check.at("/steady/samples").asLong() > 0, check::toString);
        assertTrue(check.at("/machine/ok").asBoolean(), check::toString);
        // The database was checked after the simulated JVM had closed it, and the driver's tally with it.
        JsonNode run = new ObjectMapper().readTree(tpcc.toFile()).at("/runs/0");
        assertEquals(12, run.at("/consistencyAfterLoad").size(), run::toString);
        assertEquals(12, run.at("/consistency").size(), run::toString);
        assertTrue(run.at("/ok").asBoolean(), run::toString);
        JsonNode verdict = new ObjectMapper().readTree(simulation.toFile()).at("/verdicts/0");
        assertFalse(verdict.at("/counts").asBoolean(true), verdict::toString);
        assertTrue(verdict.at("/sentences").toString().contains("forced on both sides"), verdict::toString);
        double warmUpSeconds = check.at("/warmUpSeconds").asDouble();
        assertTrue(warmUpSeconds > 0 && warmUpSeconds < check.at("/realSeconds").asDouble(), check::toString);
        JsonNode phases = new ObjectMapper().readTree(simulation.toFile()).at("/processes/0/result/phases");
        assertTrue(phases.findValues("phase").stream().anyMatch(phase -> phase.asInt() == 1), () -> phases.toString());
        assertMapped(map);
    }

    /** Each of the measured transactions is in the map of the code that they executed, under its type. */
    private static void assertMapped(Path map) throws IOException {
        JsonNode workload = new ObjectMapper().readTree(map.toFile()).at("/workloads/0");
        assertEquals(50, workload.at("/transactions").asLong(), () -> workload.toString());
        long transactions = 0;
        for (JsonNode context : workload.at("/contexts")) {
            transactions += context.at("/executions").asLong();
        }
        assertEquals(50, transactions, () -> workload.at("/contexts").toString());
        Set<String> operations = new HashSet<>(workload.at("/operations").findValuesAsText("operation"));
        assertTrue(operations.containsAll(Set.of("begin", "commit", "fetch stock")), operations::toString);
        StringWriter read = new StringWriter();
        int exitCode = Main.commandLine().setOut(new PrintWriter(read)).execute("codemap", "--read", map.toString());
        assertEquals(1, exitCode, read::toString);
        assertTrue(read.toString().contains("NOT STEADY, counts for nothing"), read::toString);
    }
}
