package dev.lockstep.bench.indexfetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.codemap.CodeEvents;
import dev.lockstep.bench.codemap.CodeLines;
import dev.lockstep.scheduler.OperationProbe;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
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
                lockstep-code-lines 5
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
                new FetchSpec(FetchKind.CONTINUATION, RowOperation.FETCH, 100, List.of(10), 121, 0, 0, 0, 1, 0, null);
        FetchRun run = new FetchRun(spec, 0, null, lines, events(), null, null);
        assertEquals(40 + 20 - 8, run.executedBytes(0, SwitchPadding::isOf));
        assertEquals(64, run.executedBytes(0, method -> !SwitchPadding.isOf(method)));
    }

    /** Twice before each cold round: the first tells what the marks cost. */
    @Test
    void floodsBeforeColdRounds() {
        int[] floods = new int[1];
        FetchPhases cold = FetchPhases.of(0, true, () -> floods[0]++);
        FetchPhases warm = FetchPhases.of(0, false, () -> floods[0] += 1_000);
        for (int i = 0; i < FetchPhases.ROUNDS; i++) {
            cold.roundBegins();
            warm.roundBegins();
        }
        assertEquals(2 * FetchPhases.ROUNDS_COLD, floods[0]);
        Set<Integer> phases = new HashSet<>(Set.of(FetchPhases.PHASE_DRY, FetchPhases.PHASE_FLOOD));
        for (int size = 0; size < FetchPhases.sizesMax(); size++) {
            assertTrue(phases.add(FetchPhases.phase(size, true)));
            assertTrue(phases.add(FetchPhases.phase(size, false)));
            assertTrue(phases.add(FetchPhases.emptyPhase(size)));
        }
        assertTrue(Collections.min(phases) >= 1);
        assertEquals(
                FetchPhases.sizesMax(),
                phases.stream().filter(FetchPhases::isWarm).count());
        assertTrue(FetchPhases.isWarm(FetchPhases.phase(1, false)));
    }

    @Test
    void paddingIsExecutedWheneverAnSThreadGoesOn() throws InterruptedException {
        SwitchPadding padding = new SwitchPadding(256);
        assertEquals(0, padding.last());
        padding.resumed(null);
        assertEquals(0, padding.last(), "a virtual thread has waited, which is no switch");
        SThread sThread;
        try (Scheduler scheduler = new Scheduler(SchedulerOptions.defaults())) {
            sThread = scheduler.start("member", 0, () -> {});
            sThread.join();
        }
        padding.resumed(sThread);
        int once = padding.last();
        assertNotEquals(0, once);
        padding.left(null);
        padding.begin(null, padding.number("fetch"));
        padding.end(null);
        assertEquals(once, padding.last());
        padding.resumed(sThread);
        assertNotEquals(once, padding.last());
        assertTrue(ServiceLoader.load(OperationProbe.class).stream()
                .anyMatch(offered -> offered.type() == SwitchPadding.class));
    }
}
