package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Simulated processors in step: by themselves, and as a program with threads that share a line sees them. */
class StepTest {
    /** Between two runs of the same program. */
    private static final double DIFFERENCE_MAX = 0.01;
    /** From one addition of a thread of shared_line.c to its next. */
    private static final int ADDITION_INSTRUCTIONS = 1_014;
    /** Of the expected part: a thread that waits long executes a block, and turns end between additions. */
    private static final double TURN_DIFFERENCE_MAX = 0.1;

    private static final int EXCLUSIVE_ADDITIONS = 300;

    @TempDir
    private Path directory;

    @Test
    void roundsGoInOrder() throws Exception {
        passes("pace_test.c", simulator("pace.c"));
    }

    @Test
    void instructionsAndThreadsAreKnown() throws Exception {
        passes("decode_test.c", simulator("decode.c"), simulator("threads.c"));
    }

    @Test
    void theirThreadsAreHeldOnOneProcessor() throws Exception {
        passes("affinity_test.c", simulator("affinity.c"));
    }

    @Test
    void theProgramSeesItsOwnAffinityAllTheSame() throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path program = CPrograms.compile(
                directory.resolve("affinity"), List.of("-O1"), CPrograms.testSource("affinity_program.c"));
        Path machine = Files.writeString(
                directory.resolve("machine.txt"), "cores=2\nl2=1M,16,64\ncoherence=mesi\nl1i=32K,8,64\nl1d=32K,8,64\n");
        CPrograms.Run natively = CPrograms.run(Map.of(), List.of(program.toString()));
        CPrograms.Run simulated = CPrograms.run(
                Map.of(),
                List.of(
                        qemu.toString(),
                        "-plugin",
                        plugin + ",config=" + machine + ",out=" + directory.resolve("result.json"),
                        program.toString()));
        assertEquals(0, simulated.exitCode(), simulated.output());
        assertEquals(natively.output(), simulated.output());
    }

    private void passes(String test, Path... parts) throws Exception {
        List<Path> sources = new ArrayList<>(List.of(CPrograms.testSource(test)));
        sources.addAll(List.of(parts));
        // What the tests' own assertions know of the model.
        SimulatorModelTest.PARTS.forEach(part -> sources.add(simulator(part)));
        Path program = CPrograms.compile(
                directory.resolve("program"),
                List.of("-O1", "-I", simulator("").toString()),
                sources.toArray(Path[]::new));
        CPrograms.Run run = CPrograms.run(Map.of(), List.of(program.toString()));
        assertEquals("all passed\n", run.output());
        assertEquals(0, run.exitCode());
    }

    /** Left alone, threads that share two real processors would change the owner in 0.59 to 0.70 of the additions. */
    @ParameterizedTest
    @CsvSource({
        "4,4000,0.84,'cores=4\nl2=1M,16,64\ncoherence=mesi\nclasses=merged'",
        "8,2000,0.90,'cores=8\nl2=1M,16,64\ncoherence=mesi\nclasses=merged'",
        "32,500,0.95,'cores=32\nl2=1M,16,64\ncoherence=mesi\nclasses=merged'",
        // Hardware threads share the L1s of their core, though its cores share nothing.
        "4,4000,0.84,'cores=2\nsmt=2'",
    })
    void sharedLineChangesItsOwner(int threads, int additions, double partMin, String shared) throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path program = CPrograms.compile(
                directory.resolve("shared_line"), List.of("-O1"), CPrograms.testSource("shared_line.c"));
        Path machine = Files.writeString(directory.resolve("machine.txt"), shared + "\nl1i=32K,8,64\nl1d=32K,8,64\n");
        List<String> command = List.of(
                qemu.toString(),
                "-plugin",
                plugin + ",config=" + machine + ",out=" + directory.resolve("result.json"),
                program.toString(),
                Integer.toString(threads),
                Integer.toString(additions));
        double first = part(command);
        double second = part(command);
        assertTrue(first >= partMin, () -> "first=" + first);
        assertTrue(second >= partMin, () -> "second=" + second);
        assertEquals(first, second, DIFFERENCE_MAX);
    }

    /** Threads that never block see the line change its owner once a turn, and in step with nobody else meanwhile. */
    @ParameterizedTest
    @ValueSource(ints = {5_000, 20_000})
    void threadsOfOneCoreTakeTurnsOfTheStatedLength(int turnInstructions) throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path program = CPrograms.compile(
                directory.resolve("shared_line"), List.of("-O1"), CPrograms.testSource("shared_line.c"));
        Path machine = Files.writeString(directory.resolve("machine.txt"), "cores=1\nl1i=32K,8,64\nl1d=32K,8,64\n");
        double changed = part(List.of(
                qemu.toString(),
                "-plugin",
                plugin + ",config=" + machine + ",out=" + directory.resolve("result.json") + ",turn="
                        + turnInstructions,
                program.toString(),
                "2",
                "4000"));
        double expected = (double) ADDITION_INSTRUCTIONS / turnInstructions;
        assertEquals(expected, changed, TURN_DIFFERENCE_MAX * expected);
    }

    /**
     * QEMU stops all threads for each addition, while the other thread waits for its round, or for the core: where one
     * waited without bound, the program would not end.
     */
    @ParameterizedTest
    @CsvSource({
        "'cores=2\nl2=1M,16,64\ncoherence=mesi',\"step\"",
        "'cores=1',\"turns\"",
    })
    void exclusiveSectionsComeThroughThoseWhoWait(String shared, String waits) throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path program = CPrograms.compile(
                directory.resolve("exclusive"), List.of("-O1"), CPrograms.testSource("exclusive_program.c"));
        Path machine = Files.writeString(directory.resolve("machine.txt"), shared + "\nl1i=32K,8,64\nl1d=32K,8,64\n");
        Path result = directory.resolve("result.json");
        CPrograms.Run run = CPrograms.run(
                Map.of(),
                List.of(
                        qemu.toString(),
                        "-plugin",
                        plugin + ",config=" + machine + ",out=" + result + ",turn=20000",
                        program.toString(),
                        Integer.toString(EXCLUSIVE_ADDITIONS)));
        assertEquals(0, run.exitCode(), run.output());
        Matcher bounded =
                Pattern.compile(waits + ":\\{.*?\"waitsBounded\":(\\d+)").matcher(Files.readString(result));
        assertTrue(bounded.find());
        assertTrue(Long.parseLong(bounded.group(1)) > 0, "no exclusive section met a thread that waits");
    }

    private static double part(List<String> command) throws Exception {
        CPrograms.Run run = CPrograms.run(Map.of(), command);
        assertEquals(0, run.exitCode(), run.output());
        return Double.parseDouble(run.output().strip());
    }

    private static Path simulator(String name) {
        return CPrograms.source("simulator").resolve(name);
    }
}
