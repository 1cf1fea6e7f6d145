package dev.lockstep.bench.simulate.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.TimeSource;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Where no simulator tells cycles; {@code ClockTest} of module native reads those. */
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

    /** Nobody works, so only looks can bring what is waited for. */
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
        // Readings in between count too, so it may be sooner than by looks, and is not much later.
        assertTrue(parks > SimulatedTime.STILL_LOOKS, "parks=" + parks);
        assertTrue(
                parks * SimulatedTime.READING_NANOS < limitNanos,
                "parks=" + parks + " realNanos=" + (System.nanoTime() - beginReal));
    }

    /** A machine that is kept busy by others, or asleep, is to let no limit pass. */
    @Test
    void aLookAddsNoMoreHoweverLongItTook() {
        AtomicLong machineNanos = new AtomicLong();
        SimulatedTime time = new SimulatedTime(false, machineNanos::get);
        for (int look = 0; look <= SimulatedTime.STILL_LOOKS; look++) {
            machineNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
            time.parkNanos(this, 1);
        }
        long begin = time.nanoTime();
        for (int look = 0; look < 5; look++) {
            machineNanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
            time.parkNanos(this, 1);
        }
        assertEquals(TimeUnit.MILLISECONDS.toNanos(5) + SimulatedTime.READING_NANOS, time.nanoTime() - begin);
    }

    /** What threads do that look at the machine's clock, and how often, is to change nothing. */
    @Test
    void whereReadingsAreTheTimeOnlyThoseOfTheWorkloadCount() throws InterruptedException {
        SimulatedTime time = new SimulatedTime(true, System::nanoTime);
        assertEquals(5 * SimulatedTime.READING_NANOS, lastOfFive(time, "terminal-0"));
        assertEquals(5 * SimulatedTime.READING_NANOS, lastOfFive(time, "lockstep-log-writer"));
        assertEquals(5 * SimulatedTime.READING_NANOS, lastOfFive(time, "main"));
        assertEquals(10 * SimulatedTime.READING_NANOS, lastOfFive(time, "lockstep-carrier-0"));
        assertEquals(15 * SimulatedTime.READING_NANOS, lastOfFive(time, ""));
    }

    private static long lastOfFive(SimulatedTime time, String threadName) throws InterruptedException {
        AtomicLong last = new AtomicLong();
        Thread.ofPlatform()
                .name(threadName)
                .start(() -> {
                    for (int i = 0; i < 5; i++) {
                        last.set(time.nanoTime());
                        time.parkNanos(time, 1);
                    }
                })
                .join();
        return last.get();
    }

    /** A compilation on which the workload waits takes seconds, and is to take no time. */
    @Test
    void whereReadingsAreTheTimeNoneGoesOnWhileAThreadOfTheEngineWaits() throws InterruptedException {
        SimulatedTime time = new SimulatedTime(true, System::nanoTime);
        AtomicLong passed = new AtomicLong();
        Thread.ofPlatform()
                .name("lockstep-log-writer")
                .start(() -> {
                    long begin = time.nanoTime();
                    for (int look = 0; look < 2 * SimulatedTime.STILL_LOOKS; look++) {
                        time.parkNanos(time, TimeUnit.SECONDS.toNanos(1));
                    }
                    passed.set(time.nanoTime() - begin);
                })
                .join();
        assertEquals(0, passed.get());
    }

    @Test
    void aTimeThatThereIsNotIsRefused() {
        System.setProperty(SimulatedTime.PROPERTY, "moments");
        try {
            IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, SimulatedTime::new);
            assertEquals(
                    "no such simulated time: lockstep.simulated.time=moments; remedy: use cycles or readings",
                    refused.getMessage());
        } finally {
            System.clearProperty(SimulatedTime.PROPERTY);
        }
    }

    @Test
    void itIsOfferedAsAService() {
        assertTrue(ServiceLoader.load(TimeSource.class).stream()
                .anyMatch(offered -> offered.type() == SimulatedTime.class));
        assertEquals(null, System.getProperty(InstalledTime.PROPERTY));
        assertEquals("the machine's clock", SimulatedTime.description());
    }
}
