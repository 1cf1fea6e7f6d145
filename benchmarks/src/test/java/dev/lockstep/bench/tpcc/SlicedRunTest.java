package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SlicedRunTest {
    @Test
    void aPhaseEndsWithinHalfATurnOfItsTime() {
        assertTrue(SlicedRun.wantsMore(100, 40, 20));
        assertTrue(SlicedRun.wantsMore(100, 89, 20));
        assertFalse(SlicedRun.wantsMore(100, 90, 20));
        assertFalse(SlicedRun.wantsMore(100, 105, 20));
    }

    @Test
    void aPhaseShorterThanATurnHasOne() {
        assertTrue(SlicedRun.wantsMore(5, 0, 10));
        assertFalse(SlicedRun.wantsMore(5, 10, 10));
        assertFalse(SlicedRun.wantsMore(0, 0, 10));
    }
}
