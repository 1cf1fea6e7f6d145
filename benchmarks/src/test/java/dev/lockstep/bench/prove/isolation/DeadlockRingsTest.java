package dev.lockstep.bench.prove.isolation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.report.Table;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What counts as found too late. */
class DeadlockRingsTest {
    private static final long MOST = DeadlockRings.FOUND_NANOS_MAX;

    @Test
    void aFewLateOnesAreToldAndNotJudged() {
        DeadlockRings.Times times =
                new DeadlockRings.Times(2, new long[] {1_000, 2_000, MOST, MOST, MOST + 1, Long.MAX_VALUE}, 0);
        assertEquals(2, times.late());
        assertFalse(times.isMostlyLate());
    }

    @Test
    void aMedianThatIsLateIsJudged() {
        DeadlockRings.Times times = new DeadlockRings.Times(8, new long[] {1_000, MOST + 1, MOST + 2}, 0);
        assertEquals(2, times.late());
        assertTrue(times.isMostlyLate());
    }

    @Test
    void theTableSaysHowManyWereLate() {
        Table table = DeadlockRings.table(List.of(new DeadlockRings.Times(8, new long[] {1_000, MOST + 1}, 0)));
        int column = table.headers().indexOf("later than 10 ms");
        assertEquals("1", table.rows().getFirst().get(column));
    }
}
