package dev.lockstep.system.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Native;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** The jar of module native holds its native part, and gives it to a program that has nothing else. */
class NativeJarTest {
    private static final List<String> LIBRARIES = List.of("counters", "simulator", "agent");

    private static final String PROGRAM =
            """
            import dev.lockstep.counters.*;

            class Probe {
                public static void main(String[] arguments) {
                    System.out.println("loaded " + (NativeLibrary.load() instanceof NativeLibrary.Result.Available));
                    Markers.phaseBegin(Markers.PHASE_MEASURED);
                    // JNA unloads what nobody refers to, once the JVM has found that out.
                    for (int collection = 0; collection < 20; collection++) {
                        System.gc();
                        Markers.operation(collection);
                        Markers.phaseEnd(Markers.PHASE_MEASURED);
                    }
                    for (NativePart part : NativePart.values()) {
                        if (part.find() instanceof NativePart.Result.Available(java.nio.file.Path file)) {
                            System.out.println("file " + java.nio.file.Files.isRegularFile(file) + " " + file);
                        }
                    }
                }
            }
            """;

    @TempDir
    private Path directory;

    private static TestAbortedException notRun(String reason) {
        String message = "NOT RUN: " + reason;
        System.out.println(message);
        return new TestAbortedException(message);
    }

    /** The directory of the project. */
    static Path root() {
        for (Path path = Path.of("").toAbsolutePath(); path != null; path = path.getParent()) {
            if (Files.isRegularFile(path.resolve("lockstep"))) {
                return path;
            }
        }
        throw new IllegalStateException("No project around the working directory");
    }

    private static Path module() {
        return root().resolve("native");
    }

    /** The jar, if it is no older than the library in it. */
    private static Path jar() throws Exception {
        Path library = module().resolve("target/classes/linux-x86-64/liblockstep_counters.so");
        if (!Files.exists(library)) {
            throw notRun("this build has no native part for Linux on x86-64");
        }
        try (Stream<Path> files = Files.list(module().resolve("target"))) {
            for (Path jar :
                    files.filter(file -> file.toString().endsWith(".jar")).toList()) {
                if (Files.getLastModifiedTime(jar).compareTo(Files.getLastModifiedTime(library)) >= 0) {
                    return jar;
                }
            }
        }
        throw notRun("module native has no jar of this build: mvn verify makes it, mvn test does not");
    }

    private static String jna() throws URISyntaxException {
        return new File(Native.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .getPath();
    }

    @Test
    void holdsEveryLibraryOfLinux() throws Exception {
        try (JarFile jar = new JarFile(jar().toFile())) {
            for (String library : LIBRARIES) {
                String entry = "linux-x86-64/liblockstep_" + library + ".so";
                Path built = module().resolve("target/classes").resolve(entry);
                assertEquals(Files.exists(built), jar.getEntry(entry) != null, entry);
            }
        }
    }

    @Test
    void aProgramWithNothingElseGetsItsNativePart() throws Exception {
        Path program = Files.writeString(directory.resolve("Probe.java"), PROGRAM);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dlockstep.simulated=true",
                        "-cp",
                        jar() + File.pathSeparator + jna(),
                        program.toString())
                .redirectErrorStream(true)
                .start();
        List<String> lines;
        try (var output = process.inputReader(StandardCharsets.UTF_8)) {
            lines = new ArrayList<>(output.lines().toList());
        }
        assertEquals(0, process.waitFor(), lines.toString());
        assertEquals("loaded true", lines.removeFirst());
        assertFalse(lines.isEmpty());
        for (String line : lines) {
            String[] words = line.split(" ", 3);
            assertEquals("true", words[1], line);
            assertTrue(Files.notExists(Path.of(words[2])), "left behind: " + line);
        }
    }
}
