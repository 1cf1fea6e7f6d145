package dev.lockstep.engine.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.engine.InstalledRun;
import dev.lockstep.engine.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In JVMs of their own, because a JVM decides it once. All their output is compared: they are warned of nothing. */
class NativeAccessTest {
    private static final String NUMBERS = "81" + "8382" + "87868584" + "8f8e8d8c8b8a8988" + "88898a8b8c8d8e8f" + "1a";

    /** Lengths of 0 to 700 bytes at eight places. */
    private static final String COPIES = "5608 copies";

    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";
    private static final String RAW_PACKAGE = "java.base/jdk.internal.misc=ALL-UNNAMED";

    @TempDir
    private Path directory;

    private List<String> run(String name, long seed, String... flags) throws IOException, InterruptedException {
        InstalledRun run = InstalledRun.withFlags(
                List.of(flags), MemoryProgram.class, directory.resolve(name).toString(), Long.toString(seed));
        assertEquals(0, run.exitCode(), () -> String.join("\n", run.lines()));
        return run.lines();
    }

    @Test
    void worksAlikeWithoutNativeAccessAndWithIt() {
        Seeds.each(1, seed -> {
            List<String> without = run("without-" + seed, seed);
            List<String> with = run("with-" + seed, seed, NATIVE_ACCESS);
            List<String> raw = run("raw-" + seed, seed, NATIVE_ACCESS, "--add-exports", RAW_PACKAGE);
            List<String> rawWithout = run("raw-without-" + seed, seed, "--add-exports", RAW_PACKAGE);
            String rows = without.getLast();
            assertEquals("same rows", rows.replaceFirst(" -?\\d+$", ""));
            assertEquals(List.of("closed", NUMBERS, COPIES, rows), without);
            assertEquals(List.of("open", NUMBERS, COPIES, rows), with);
            assertEquals(List.of("raw", NUMBERS, COPIES, rows), raw);
            assertEquals(without, rawWithout);
        });
    }
}
