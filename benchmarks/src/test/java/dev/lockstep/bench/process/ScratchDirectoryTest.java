package dev.lockstep.bench.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories that go with their run, however it ends. */
class ScratchDirectoryTest {
    @TempDir
    private Path parent;

    /** Makes a directory with a file, says where, and waits to be killed. */
    static final class Waiting {
        private Waiting() {}

        public static void main(String[] arguments) throws IOException {
            ScratchDirectory scratch = ScratchDirectory.make(Path.of(arguments[0]), "test");
            Files.writeString(scratch.path().resolve("file"), "x");
            if (arguments.length > 1) {
                scratch.keep();
            }
            System.out.println(scratch.path());
            System.in.read();
            System.exit(0);
        }
    }

    private static Process start(Path parent, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Waiting.class.getName(),
                parent.toString()));
        command.addAll(List.of(more));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @Test
    void goesWhenItIsClosed() throws IOException {
        Path path;
        try (ScratchDirectory scratch = ScratchDirectory.make(parent, "test")) {
            path = scratch.path();
            Files.createDirectories(path.resolve("inner/most"));
            Files.writeString(path.resolve("inner/file"), "x");
            try (ScratchDirectory second = ScratchDirectory.make(parent, "test")) {
                assertTrue(Files.exists(path), "of a run that goes on");
                assertFalse(path.equals(second.path()));
            }
        }
        assertFalse(Files.exists(path));
    }

    /** A simulated process is told the name, and has other addresses where that is longer. */
    @Test
    void namesAreOfOneLengthAndNobodyElseLooksInside() throws IOException {
        int length = "lockstep-test-0000012345-1234567890123456789".length();
        for (int i = 0; i < 40; i++) {
            try (ScratchDirectory scratch = ScratchDirectory.make(parent, "test")) {
                assertEquals(length, scratch.path().getFileName().toString().length(), () -> scratch.path()
                        .toString());
                if (parent.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                    assertEquals(
                            PosixFilePermissions.fromString("rwx------"),
                            Files.getPosixFilePermissions(scratch.path()));
                }
            }
        }
    }

    @Test
    void goesWhenTheJvmIsToldToEnd() throws Exception {
        Process process = start(parent);
        Path path = Path.of(process.inputReader().readLine());
        assertTrue(Files.exists(path.resolve("file")));
        process.destroy();
        process.waitFor();
        assertFalse(Files.exists(path));
    }

    /** What a failed run has left is there when somebody looks for it, whatever ran meanwhile. */
    @Test
    void staysWhereItIsKept() throws Exception {
        Process process = start(parent, "keep");
        Path path = Path.of(process.inputReader().readLine());
        process.destroy();
        process.waitFor();
        try (ScratchDirectory scratch = ScratchDirectory.make(parent, "test")) {
            assertTrue(Files.exists(path.resolve("file")));
            scratch.keep();
            scratch.keep();
            path = scratch.path();
        }
        assertTrue(Files.exists(path));
    }

    /** As in another container that shares the directory: its processes have numbers that are nobody's here. */
    @Test
    void whatIsHeldStaysWhateverItsProcessIs() throws Exception {
        Process process = start(parent);
        Path path = Path.of(process.inputReader().readLine());
        Process dead = start(parent, "keep");
        String number = String.format(Locale.ROOT, "%010d", dead.pid());
        dead.destroyForcibly();
        dead.waitFor();
        Path renamed = Files.move(path, parent.resolve("lockstep-test-" + number + "-1234567890123456789"));
        try (ScratchDirectory scratch = ScratchDirectory.make(parent, "test")) {
            assertTrue(Files.exists(renamed.resolve("file")), scratch.path()::toString);
        }
        process.destroyForcibly();
        process.waitFor();
        try (ScratchDirectory scratch = ScratchDirectory.make(parent, "test")) {
            assertFalse(Files.exists(renamed), scratch.path()::toString);
        }
    }

    @Test
    void whatNobodyHasHeldGoesWhenItIsOld() throws Exception {
        Process dead = start(parent, "keep");
        String number = String.format(Locale.ROOT, "%010d", dead.pid());
        dead.destroyForcibly();
        dead.waitFor();
        Path fresh = Files.createDirectory(parent.resolve("lockstep-test-" + number + "-1"));
        Path old = Files.createDirectory(parent.resolve("lockstep-test-" + number + "-2"));
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
        try (ScratchDirectory scratch = ScratchDirectory.make(parent, "test")) {
            assertEquals(
                    List.of(true, false), List.of(Files.exists(fresh), Files.exists(old)), scratch.path()::toString);
        }
    }

    @Test
    void whatAKilledRunHasLeftGoesWithTheNext() throws Exception {
        Process process = start(parent);
        Path path = Path.of(process.inputReader().readLine());
        Path ofOthers = Files.createDirectory(parent.resolve("lockstep-other-" + process.pid() + "-1"));
        Path unnumbered = Files.createDirectory(parent.resolve("lockstep-test-mine"));
        process.destroyForcibly();
        process.waitFor();
        assertTrue(Files.exists(path.resolve("file")));
        try (ScratchDirectory scratch = ScratchDirectory.make(parent, "test")) {
            assertFalse(Files.exists(path));
            assertEquals(
                    List.of(true, true, true),
                    List.of(Files.exists(scratch.path()), Files.exists(ofOthers), Files.exists(unnumbered)));
        }
    }
}
