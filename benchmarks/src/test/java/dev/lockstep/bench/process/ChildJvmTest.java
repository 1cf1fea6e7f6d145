package dev.lockstep.bench.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildJvmTest {
    @TempDir
    private Path directory;

    @Test
    void returnsEveryLineAndTheExitCode() throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        assertEquals(3, run("3", lines::add));
        assertEquals(List.of("one", "", "three"), lines.subList(1, lines.size()));
    }

    /** As where a child hangs, and a limit of whoever started it expires. */
    @Test
    void anInterruptKillsAChildThatPrintsNothingMore() {
        List<Long> identifiers = new ArrayList<>();
        assertThrows(
                InterruptedException.class,
                () -> run("hang", line -> {
                    identifiers.add(Long.valueOf(line));
                    Thread.currentThread().interrupt();
                }));
        ProcessHandle.of(identifiers.getFirst())
                .ifPresent(child -> child.onExit().join());
    }

    private int run(String argument, Consumer<String> lines) throws IOException, InterruptedException {
        return ChildJvm.run(
                Processors.choose(1), directory, Map.of(), List.of(), Child.class.getName(), List.of(argument), lines);
    }

    /** Of a parent that says nothing more to it, and may be gone. */
    static final class Silent {
        private Silent() {}

        public static void main(String[] arguments) throws InterruptedException {
            System.out.print("printed");
            if (arguments[0].equals("hang")) {
                new CountDownLatch(1).await();
            }
            System.exit(Integer.parseInt(arguments[0]));
        }
    }

    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws InterruptedException {
            ChildJvm.endWithParent();
            System.out.println(ProcessHandle.current().pid());
            if (arguments[0].equals("hang")) {
                new CountDownLatch(1).await();
            }
            System.out.println("one\n\nthree");
            System.exit(Integer.parseInt(arguments[0]));
        }
    }
}
