package dev.lockstep.bench.prove.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.TornPageProtection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a point is named after. */
class RecordingTest {
    private static final long SEED = 3;

    /** So a point is the same in every run, and a failure is replayed by its name. */
    @ParameterizedTest
    @EnumSource(names = {"DOUBLE_WRITE", "LOG_IMAGES"})
    void aWorkloadDoesTheSameInEveryRun(TornPageProtection protection) {
        Recording recording = Recording.of(new RowsWorkload(SEED, protection), Flaw.NONE);
        List<DiskOperation> first = recording.operations();
        List<DiskOperation> second = recording.again().operations();
        for (int i = 0; i < Math.min(first.size(), second.size()); i++) {
            DiskOperation again = second.get(i);
            assertTrue(
                    first.get(i).isSameAs(again),
                    "seed=" + SEED + " operation=" + i + " " + first.get(i) + ", " + again);
        }
        assertEquals(first.size(), second.size());
    }

    /** Whatever the engine asks of a disk can fail. */
    @Test
    void theWorkloadAsksEverythingOfItsDisk() {
        List<DiskOperation> operations = Recording.of(
                        new RowsWorkload(SEED, TornPageProtection.DOUBLE_WRITE), Flaw.NONE)
                .operations();
        for (DiskOperation.Kind kind : DiskOperation.Kind.values()) {
            assertTrue(operations.stream().anyMatch(operation -> operation.kind() == kind), kind.title());
        }
    }
}
