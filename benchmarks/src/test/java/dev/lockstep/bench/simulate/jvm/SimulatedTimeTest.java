package dev.lockstep.bench.simulate.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.TimeSource;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where no simulator tells cycles; {@code ClockTest} of module native reads those. */
@Timeout(60)
class SimulatedTimeTest {
    @Test
    void readingsAreTheTimeWhereNobodyTellsIt() {
        SimulatedTime time = new SimulatedTime();
        long first = time.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            time.nanoTime();
        }
        assertEquals(1_001 * SimulatedTime.READING_NANOS, time.nanoTime() - first);
    }

    /** Nobody works, so only the machine's clock can bring what is waited for. */
    @Test
    void aWaitEndsThoughNobodyWorks() {
        SimulatedTime time = new SimulatedTime();
        long limitNanos = TimeUnit.MILLISECONDS.toNanos(200);
        long begin = time.nanoTime();
        long beginReal = System.nanoTime();
        int parks = 0;
        while (time.nanoTime() - begin < limitNanos) {
            time.parkNanos(this, limitNanos);
            parks++;
        }
        // Readings in between count too, so it may be sooner than by the machine's clock, and is not much later.
        assertTrue(parks > SimulatedTime.STILL_LOOKS, "parks=" + parks);
        assertTrue(
                parks * SimulatedTime.READING_NANOS < limitNanos,
                "parks=" + parks + " realNanos=" + (System.nanoTime() - beginReal));
    }

    @Test
    void itIsOfferedAsAService() {
        assertTrue(ServiceLoader.load(TimeSource.class).stream()
                .anyMatch(offered -> offered.type() == SimulatedTime.class));
        assertEquals(null, System.getProperty(InstalledTime.PROPERTY));
        assertEquals("the machine's clock", SimulatedTime.description());
    }
}
