package dev.lockstep.bench.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CoreProbeTest {
    private static final int STEPS = 5;
    private static final int CHAINS = 8;

    private static long stepped(long value, int times) {
        long result = value;
        for (int i = 0; i < times; i++) {
            result = result + 0x9e37_79b9_7f4a_7c15L ^ result >>> 7;
        }
        return result;
    }

    @Test
    void eightChainsTakeAsManyStepsAsOne() {
        long independent = 0;
        for (int chain = 0; chain < CHAINS; chain++) {
            independent ^= stepped(3 + chain, STEPS);
        }
        assertEquals(independent, CoreProbe.independent(3, STEPS));
        assertEquals(stepped(3, CHAINS * STEPS), CoreProbe.dependent(3, STEPS));
    }

    @Test
    void tellsTheMeanOfTheSamples() {
        assertEquals(0.75, CoreProbe.mean(List.of(1.5, 0.5, 0.25)));
    }

    /** Readings of interpreted code agree with each other too, so time has to pass. */
    @Test
    void takesReadingsUntilTheyAgreeWhenTheCompilersHaveHadTheirTime() {
        assertEquals(7, readingsToWarmUp(20_000_000, 2.0, 2.0, 2.0, 2.0, 1.5, 0.25, 0.26, 0.25));
        assertEquals(6, readingsToWarmUp(20_000_000, 2.0, 2.0, 2.0, 0.25, 0.25, 0.25, 0.25));
    }

    @Test
    void givesUpWhereReadingsNeverAgree() {
        assertEquals(5, readingsToWarmUp(250_000_000, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0));
    }

    private static int readingsToWarmUp(long nanosOfEach, double... readings) {
        AtomicInteger taken = new AtomicInteger();
        CoreProbe.warmUp(() -> readings[taken.getAndIncrement()], () -> nanosOfEach * Math.max(0, taken.get() - 1));
        return taken.get();
    }

    @Test
    void samplesThisCore() {
        CoreProbe probe = new CoreProbe();
        assertTrue(probe.crowding() > 0);
        probe.begin();
        assertTrue(probe.mean() > 0, "without a sample yet");
    }
}
