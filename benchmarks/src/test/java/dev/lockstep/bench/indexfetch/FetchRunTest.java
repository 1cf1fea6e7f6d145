package dev.lockstep.bench.indexfetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.codemap.CodeEvents;
import dev.lockstep.bench.codemap.CodeLines;
import dev.lockstep.scheduler.OperationProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FetchRunTest {
    /** A generated method at 0x1000, another method at 0x2000. */
    private static final String EVENTS =
            """
            lockstep-code-events 1
            v 25
            m 1 dev/lockstep/bench/simulate/jvm/GeneratedSteps step0 (I)I
            m 2 dev/lockstep/engine/Table find ()V
            L 1 1000 100 4 1 1
            L 2 2000 100 4 2 2
            end
            """;

    @TempDir
    Path directory;

    private CodeEvents events() throws IOException {
        return CodeEvents.read(Files.writeString(directory.resolve("events.txt"), EVENTS));
    }

    private CodeLines lines(String... counts) throws IOException {
        String blocks =
                """
                lockstep-code-lines 3
                b 1000 40 10 3
                b 1020 20 5 3
                b 2000 64 16 3
                b 1080 16 4 3
                """;
        return CodeLines.read(
                Files.writeString(directory.resolve("lines.txt"), blocks + String.join("\n", counts) + "\nend\n"));
    }

    /** Blocks at 0x1000 and 0x1020 share eight bytes; one executed in another phase or by the compiler is none. */
    @Test
    void countsEachExecutedByteOfThePaddingOnce() throws IOException {
        int warm = FetchPhases.phase(0, false);
        CodeLines lines = lines(
                "c " + warm + " 0 carrier",
                "0 100 100",
                "1 100 100",
                "2 100 100",
                "c " + FetchPhases.PHASE_FLOOD + " 0 carrier",
                "3 100 100",
                "c " + warm + " 0 compiler",
                "3 100 100");
        FetchSpec spec =
                new FetchSpec(FetchKind.CONTINUATION, RowOperation.FETCH, 100, List.of(10), List.of(0), 121, 0, 0, 1);
        FetchRun run = new FetchRun(spec, 0, null, lines, events(), null);
        assertEquals(40 + 20 - 8, run.executedBytes(0, SwitchPadding::isOf));
        assertEquals(64, run.executedBytes(0, method -> !SwitchPadding.isOf(method)));
    }

    @Test
    void paddingIsExecutedWheneverAnSThreadGoesOn() {
        SwitchPadding padding = new SwitchPadding(256);
        assertEquals(0, padding.last());
        padding.resumed(null);
        int once = padding.last();
        assertNotEquals(0, once);
        padding.left(null);
        padding.begin(null, padding.number("fetch"));
        padding.end(null);
        assertEquals(once, padding.last());
        padding.resumed(null);
        assertNotEquals(once, padding.last());
        assertTrue(ServiceLoader.load(OperationProbe.class).stream()
                .anyMatch(offered -> offered.type() == SwitchPadding.class));
    }
}
