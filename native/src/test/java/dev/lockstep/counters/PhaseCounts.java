package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the simulator counted of a program, by phase.
 *
 * @param json what the plugin wrote
 */
record PhaseCounts(String json) {
    /**
     * Runs a program, which has to end well, under the simulator; where that is missing, the test says NOT RUN.
     *
     * @param directory takes the machine's file and the results
     * @param machine lines of the machine's file
     * @param arguments more of the plugin's, each after a comma, or empty
     */
    static PhaseCounts of(Path directory, Path program, String machine, String arguments)
            throws IOException, InterruptedException {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path description = Files.writeString(directory.resolve("machine.txt"), machine);
        Path result = directory.resolve("result.json");
        CPrograms.Run run = CPrograms.run(
                Map.of(),
                List.of(
                        qemu.toString(),
                        "-cpu",
                        "max",
                        "-plugin",
                        plugin + ",config=" + description + ",out=" + result + arguments,
                        program.toString()));
        assertEquals(0, run.exitCode(), run.output());
        return new PhaseCounts(Files.readString(result));
    }

    /**
     * A count of a phase.
     *
     * @param name as the JSON has it, quotes and what stands before it included where it alone does not tell it
     */
    long count(int phase, String name) {
        Matcher matcher = Pattern.compile("\"phase\":" + phase + ",.*?" + name + ":(\\d+)", Pattern.DOTALL)
                .matcher(json);
        assertTrue(matcher.find(), () -> "no " + name + " of phase " + phase + " in " + json);
        return Long.parseLong(matcher.group(1));
    }
}
