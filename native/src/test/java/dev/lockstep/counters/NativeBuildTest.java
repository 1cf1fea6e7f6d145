package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the script does that makes the native libraries, where it cannot. */
class NativeBuildTest {
    private static final Path SCRIPT = Path.of("src", "main", "sh", "build-native.sh");

    @TempDir
    private Path directory;

    private Path sources;

    @BeforeEach
    void writeSources() throws IOException {
        CPrograms.require("sh", "dash");
        sources = Files.createDirectories(directory.resolve("sources"));
        Files.createDirectory(sources.resolve("simulator"));
        for (String file : List.of("counters.c", "simulator/simulator.c")) {
            write(file, "#include <stdio.h>\nint lockstep_test(void) { return puts(\"\"); }\n");
        }
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(sources.resolve(file), text);
    }

    private CPrograms.Run build(Path compiler) throws IOException, InterruptedException {
        return CPrograms.run(
                Map.of("CC", compiler.toString()),
                List.of(
                        "sh",
                        SCRIPT.toString(),
                        sources.toString(),
                        directory.resolve("output").toString()));
    }

    private List<Path> libraries() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("output"))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    /** A compiler that knows no directory of headers, as one without those of the C library. */
    private Path withoutHeaders() throws IOException {
        Path compiler = Files.writeString(
                directory.resolve("bare-cc"), "#!/bin/sh\nexec " + CPrograms.compiler() + " -nostdinc \"$@\"\n");
        assertTrue(compiler.toFile().setExecutable(true));
        return compiler;
    }

    @Test
    void librariesAreLeftOutWhereHeadersAreMissing() throws Exception {
        Path compiler = withoutHeaders();
        CPrograms.Run bare = build(compiler);
        assertEquals(0, bare.exitCode(), bare.output());
        assertEquals(1, bare.output().lines().count(), bare.output());
        assertTrue(bare.output().startsWith("The C compiler " + compiler + " lacks headers ("), bare.output());
        assertTrue(bare.output().contains("stdio.h"), bare.output());
        assertTrue(bare.output().contains("apt-get install libc6-dev"), bare.output());
        assertEquals(List.of(), libraries());
    }

    /** Headers that went leave no library of older sources behind. */
    @Test
    void whatWasBuiltBeforeGoesWithTheHeaders() throws Exception {
        CPrograms.Run whole = build(CPrograms.compiler());
        assertEquals(0, whole.exitCode(), whole.output());
        assertFalse(libraries().isEmpty());
        for (Path library : libraries()) {
            Files.setLastModifiedTime(library, FileTime.fromMillis(0));
        }
        CPrograms.Run bare = build(withoutHeaders());
        assertEquals(0, bare.exitCode(), bare.output());
        assertEquals(List.of(), libraries());
    }

    @Test
    void sourcesThatAreWrongFailTheBuild() throws Exception {
        write("counters.c", "#include <stdio.h>\nint lockstep_test(void) { return \"\"; }\n");
        CPrograms.Run wrong = build(CPrograms.compiler());
        assertEquals(1, wrong.exitCode(), wrong.output());
        assertTrue(wrong.output().contains("cannot build Lockstep's native helpers"), wrong.output());
    }
}
