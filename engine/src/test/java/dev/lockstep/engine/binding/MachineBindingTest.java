package dev.lockstep.engine.binding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.InstalledRun;
import dev.lockstep.scheduler.InstalledBinding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a layout of nodes changes: in JVMs of their own, because a binding is installed for the life of a process. */
class MachineBindingTest {
    /** Behind the last frame. */
    private static final long GUARD_BYTES = 256 << 10;

    private static final long PAGE_BYTES = 8 << 10;

    /** A page, and a cache line by which the next one's first line lies in another set. */
    private static final long FRAME_BYTES = PAGE_BYTES + 64;

    private static final long POOL_BYTES = DatabaseOptions.POOL_BYTES_MIN / PAGE_BYTES * FRAME_BYTES + GUARD_BYTES;

    @TempDir
    private Path directory;

    private static InstalledRun run(String binding, String... arguments) throws IOException, InterruptedException {
        return InstalledRun.of(InstalledBinding.PROPERTY, binding, BoundProgram.class, arguments);
    }

    @Test
    void carriersAndFramesAreDealtToNodes() throws IOException, InterruptedException {
        Path file = Files.writeString(
                directory.resolve("nodes.txt"), "lockstep-nodes 1\n# a made-up machine\nnode 0: 4-5\nnode 1: 2, 7\n");
        long firstBytes = POOL_BYTES / FRAME_BYTES / 2 * FRAME_BYTES;
        assertEquals(
                List.of(
                        "freed " + POOL_BYTES,
                        "lockstep-node-0 on 4",
                        "lockstep-node-1 on 2",
                        "pool 0 " + firstBytes + " node 0 by 4 zero true",
                        "pool " + firstBytes + " " + (POOL_BYTES - firstBytes) + " node 1 by 2 zero true",
                        "s-carrier-0 on 4",
                        "s-carrier-1 on 2",
                        "s-carrier-2 on 5",
                        "s-carrier-3 on 7",
                        "s-carrier-4 on 4"),
                run(RecordingBinding.class.getName(), file.toString()).lines());
    }

    @Test
    void withoutALayoutNothingIsBoundAndThePoolIsTold() throws IOException, InterruptedException {
        assertEquals(
                List.of("freed " + POOL_BYTES, "pool somewhere " + POOL_BYTES + " node -1 by -1 zero true"),
                run(RecordingBinding.class.getName()).lines());
    }

    @Test
    void aProcessorThatIsNotThereIsTold() throws IOException, InterruptedException {
        Path file = Files.writeString(
                directory.resolve("nodes.txt"),
                "lockstep-nodes 1\nnode 0: 4\nnode 1: " + RecordingBinding.IMPOSSIBLE + "\n");
        InstalledRun run = run(RecordingBinding.class.getName(), file.toString());
        assertTrue(
                run.lines().stream()
                        .anyMatch(line ->
                                line.contains("InvalidOptionException") && line.contains("no such processor=13")),
                run::toString);
    }

    @Test
    void anUnknownBindingIsRefusedByName() throws IOException, InterruptedException {
        InstalledRun run = run("no.such.Binding");
        assertTrue(run.printed("dev.lockstep.scheduler.binding=no.such.Binding;"), run::toString);
    }
}
