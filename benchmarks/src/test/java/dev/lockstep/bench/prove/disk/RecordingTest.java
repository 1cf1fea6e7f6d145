package dev.lockstep.bench.prove.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What a point is named after. */
class RecordingTest {
    private static final long SEED = 3;

    /** So a point is the same in every run, and a failure is replayed by its name. */
    @Test
    void aWorkloadDoesTheSameInEveryRun() {
        List<DiskOperation> first =
                Recording.of(new RowsWorkload(SEED), Flaw.NONE).operations();
        List<DiskOperation> second =
                Recording.of(new RowsWorkload(SEED), Flaw.NONE).operations();
        for (int i = 0; i < Math.min(first.size(), second.size()); i++) {
            DiskOperation again = second.get(i);
            assertTrue(
                    first.get(i).isSameAs(again),
                    "seed=" + SEED + " operation=" + i + " " + first.get(i) + ", " + again);
        }
        assertEquals(first.size(), second.size());
    }
}
