package dev.lockstep.bench.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a JVM leaves behind that is told to end while it waits for a child. */
class EndingTest {
    @TempDir
    private Path parent;

    /** Ends by itself only when it is killed. */
    static final class Writing {
        private Writing() {}

        /** Writes file by file, in directories that it makes where they are gone. */
        public static void main(String[] arguments) throws IOException {
            Path directory = Path.of(arguments[0], "deep");
            Files.createDirectories(directory);
            System.out.println(ProcessHandle.current().pid());
            for (long number = 0; true; number++) {
                Files.createDirectories(directory);
                Files.writeString(directory.resolve(Long.toString(number % 1_000)), "x");
            }
        }
    }

    /** Waits for a child that writes where its own files are. */
    static final class Waiting {
        private Waiting() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            try (ScratchDirectory scratch = ScratchDirectory.make(Path.of(arguments[0]), "test")) {
                System.out.println(scratch.path());
                if (arguments[1].equals("jvm")) {
                    ChildJvm.run(
                            Processors.choose(Processors.available()),
                            scratch.path(),
                            Map.of(),
                            List.of(),
                            Writing.class.getName(),
                            List.of(scratch.path().toString()),
                            System.out::println);
                } else {
                    NativeProcess.run(NativeProcess.builder(ChildJvm.command(
                                    List.of(),
                                    Writing.class.getName(),
                                    List.of(scratch.path().toString())))
                            .inheritIO());
                }
                System.out.println("goes on");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jvm", "program"})
    void childrenEndFirstAndThenTheirFilesGo(String kind) throws Exception {
        Process process = new ProcessBuilder(
                        ChildJvm.command(List.of(), Waiting.class.getName(), List.of(parent.toString(), kind)))
                .redirectErrorStream(true)
                .start();
        BufferedReader printed = process.inputReader();
        Path scratch = Path.of(printed.readLine());
        ProcessHandle child =
                ProcessHandle.of(Long.parseLong(printed.readLine())).orElseThrow();
        try {
            assertTrue(Files.exists(scratch));
            process.toHandle().destroy();
            process.waitFor();
            assertFalse(child.isAlive());
            assertFalse(Files.exists(scratch));
            assertEquals(List.of(), printed.lines().toList());
        } finally {
            child.destroyForcibly();
        }
    }

    /** A program that does not heed the first signal. */
    @Test
    void aChildThatStaysIsKilled() throws Exception {
        Process process = new ProcessBuilder(
                        ChildJvm.command(List.of(), Stubborn.class.getName(), List.of(parent.toString())))
                .redirectErrorStream(true)
                .start();
        BufferedReader printed = process.inputReader();
        ProcessHandle child =
                ProcessHandle.of(Long.parseLong(printed.readLine())).orElseThrow();
        try {
            process.toHandle().destroy();
            process.waitFor();
            assertFalse(child.isAlive());
        } finally {
            child.destroyForcibly();
        }
    }

    /** Waits for a shell that ignores what it is told. */
    static final class Stubborn {
        private Stubborn() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            NativeProcess.run(
                    NativeProcess.builder(List.of("sh", "-c", "trap '' TERM; echo $$; while :; do read line; done"))
                            .redirectOutput(ProcessBuilder.Redirect.INHERIT));
        }
    }
}
