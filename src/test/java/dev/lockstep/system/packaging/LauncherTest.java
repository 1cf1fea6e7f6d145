package dev.lockstep.system.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that users call, with a Maven that only writes down how it was called. */
class LauncherTest {
    /** Builds as soon as the file {@code open} is there. */
    private static final String MAVEN =
            """
            #!/bin/sh
            printf '%s\\n' "$JAVA_HOME" >>"$HOME/calls"
            until [ -e "$HOME/open" ]; do sleep 0.1; done
            mkdir -p benchmarks/target/classes benchmarks/target/lib
            """;

    @TempDir
    private Path home;

    private Path script;
    private Path calls;

    @BeforeEach
    void install() throws IOException {
        Path root = Files.createDirectories(home.resolve("project"));
        script = Files.copy(
                NativeJarTest.root().resolve("lockstep"), root.resolve("lockstep"), StandardCopyOption.COPY_ATTRIBUTES);
        Path maven = Files.writeString(home.resolve("maven"), MAVEN);
        maven.toFile().setExecutable(true);
        Path declared = Files.createDirectories(home.resolve(".m2")).resolve("toolchains.xml");
        Files.writeString(declared, "<jdkHome>" + System.getProperty("java.home") + "</jdkHome>\n");
        calls = home.resolve("calls");
    }

    private Process launch() throws IOException {
        return launch(Map.of("LOCKSTEP_JAVA_OPTIONS", "-version"));
    }

    private Process launch(Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(script.toString(), "tpcc")
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("output").toFile());
        builder.environment().remove("JAVA_HOME");
        // A java in the path may be too old, or another one that is new enough.
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().put("HOME", home.toString());
        builder.environment().put("MAVEN", home.resolve("maven").toString());
        builder.environment().putAll(environment);
        return builder.start();
    }

    private List<String> calls() throws IOException {
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    private void assertEnded(Process launcher) throws InterruptedException, IOException {
        assertEquals(0, launcher.waitFor(), Files.readString(home.resolve("output")));
    }

    /** Else Maven looks for one by itself, and may find none or another one. */
    @Test
    void mavenGetsTheJdkThatWasFound() throws Exception {
        Files.createFile(home.resolve("open"));
        assertEnded(launch());
        Path jdk = Path.of(calls().getFirst());
        assertTrue(jdk.isAbsolute() && Files.isExecutable(jdk.resolve("bin/java")), jdk::toString);
        assertEnded(launch());
        assertEquals(1, calls().size(), "what is built is not built again");
    }

    /** As the help of commands says where they leave --dir out. */
    @Test
    void temporaryFilesGoWhereTheSystemSays() throws Exception {
        Files.createFile(home.resolve("open"));
        Path temporary = Files.createDirectory(home.resolve("for now"));
        for (Path named : List.of(temporary, home.resolve("missing"))) {
            assertEnded(launch(
                    Map.of("LOCKSTEP_JAVA_OPTIONS", "-XshowSettings:properties -version", "TMPDIR", named.toString())));
            String output = Files.readString(home.resolve("output"));
            assertEquals(named.equals(temporary), output.contains("java.io.tmpdir = " + named + "\n"), output);
        }
    }

    /** Child JVMs run elsewhere. */
    @Test
    void aRelativeDirectoryForTemporaryFilesIsMadeAbsolute() throws Exception {
        Files.createFile(home.resolve("open"));
        Path here = Path.of("").toAbsolutePath();
        Path relative = here.relativize(Files.createDirectory(home.resolve("for now")));
        assertEnded(launch(
                Map.of("LOCKSTEP_JAVA_OPTIONS", "-XshowSettings:properties -version", "TMPDIR", relative.toString())));
        String output = Files.readString(home.resolve("output"));
        assertTrue(output.contains("java.io.tmpdir = " + here + "/" + relative + "\n"), output);
    }

    /** Two builds in one directory would delete each other's classes. */
    @Test
    void aLauncherWaitsForTheBuildOfAnother() throws Exception {
        Process first = launch();
        while (calls().isEmpty() && first.isAlive()) {
            Thread.onSpinWait();
        }
        Process second = launch();
        while (calls().size() < 2 && second.isAlive() && !waits(second)) {
            Thread.onSpinWait();
        }
        Files.createFile(home.resolve("open"));
        assertEnded(first);
        assertEnded(second);
        assertEquals(1, calls().size());
    }

    /** Whether a program waits for the lock: flock, or sleep where there is none. */
    private static boolean waits(Process launcher) {
        return launcher.children()
                .flatMap(child -> child.info().command().stream())
                .anyMatch(command -> command.endsWith("/flock") || command.endsWith("/sleep"));
    }
}
