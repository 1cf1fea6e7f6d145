package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The simulated clock, as a program in C reads it. */
class ClockTest {
    /** Of the program's loop: rounds, and instructions of a round as gcc makes them, give or take. */
    private static final long CYCLES_MIN = 5_000_000;

    private static final double PART_OFF_MAX = 0.02;

    @TempDir
    private Path directory;

    private Path program;

    @BeforeEach
    void compile() throws Exception {
        program = CPrograms.compile(directory.resolve("clock"), List.of("-O1"), CPrograms.testSource("clock.c"));
    }

    @Test
    void nobodyTellsTheTimeOfARealProcessor() throws Exception {
        CPrograms.Run run = CPrograms.run(Map.of(), List.of(program.toString()));
        assertEquals("unfed 0\nfed 0\noutside 0\ntotal grows\n", run.output());
    }

    /**
     * The same work takes the same time whether the model is fed or not, but for a few misses; and it is fed from the
     * first phase on, whatever threads there were.
     */
    @ParameterizedTest
    @CsvSource({"on,alone", "on,threads", "off,alone", "off,threads"})
    void workTakesItsTime(String waits, String threads) throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path machine = Files.writeString(directory.resolve("machine.txt"), "cores=1\nl1d=32K,8,64\nl2=1M,16,64\n");
        Path result = directory.resolve("result.json");
        CPrograms.Run run = CPrograms.run(
                Map.of(),
                List.of(
                        qemu.toString(),
                        "-plugin",
                        plugin + ",config=" + machine + ",out=" + result + ",wait=" + waits,
                        program.toString(),
                        threads));
        assertEquals(0, run.exitCode(), run.output());
        assertTrue(Files.exists(result), run.output());
        Map<String, String> told = new HashMap<>();
        run.output().lines().map(line -> line.split(" ", 2)).forEach(words -> told.put(words[0], words[1]));
        assertEquals("grows", told.get("total"), run.output());
        double unfed = Double.parseDouble(told.get("unfed"));
        double fed = Double.parseDouble(told.get("fed"));
        assertTrue(unfed > CYCLES_MIN, run.output());
        assertEquals(unfed, fed, PART_OFF_MAX * unfed, run.output());
        assertEquals(unfed, Double.parseDouble(told.get("outside")), PART_OFF_MAX * unfed, run.output());
        List<Long> loads = loads(Files.readString(result));
        // Outside the phase the loop runs once before it, once after it, and once more on a thread.
        assertEquals(waits.equals("on"), loads.getFirst() < loads.get(1) * 3 / 2, loads::toString);
    }

    /** The loads of each phase, as the plugin writes them. */
    private static List<Long> loads(String json) {
        return Pattern.compile("\"phase\":\\d+,.*?\"loads\":(\\d+)", Pattern.DOTALL)
                .matcher(json)
                .results()
                .map(match -> Long.valueOf(match.group(1)))
                .toList();
    }
}
