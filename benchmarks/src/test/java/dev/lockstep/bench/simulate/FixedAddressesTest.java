package dev.lockstep.bench.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.Needed;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FixedAddressesTest {
    @TempDir
    private Path directory;

    /** Where its stack and all else lie, by the program's own account. */
    private String places(Simulator simulator, String name) throws Exception {
        Path output = directory.resolve(name + ".txt");
        int exitCode = new ProcessBuilder(
                        simulator.command(directory.resolve(name + ".json"), List.of("/bin/cat", "/proc/self/maps")))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertEquals(0, exitCode, said);
        return said;
    }

    @Test
    void aProgramLiesWhereItLayBefore() throws Exception {
        Needed.requireSimulator();
        Needed.require(FixedAddresses.arePossible(), FixedAddresses.sentence());
        Simulator simulator = Simulator.open(List.of("l1i=32K,8,64"), SimulatorSettings.DEFAULT, directory);
        String places = places(simulator, "first");
        assertTrue(places.contains("[stack]"), places);
        assertEquals(places, places(simulator, "second"));
    }
}
