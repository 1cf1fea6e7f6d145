package dev.lockstep.bench.simulate.jvm;

import dev.lockstep.counters.Markers;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The time of the simulated processors: their cycles, told by the simulator. A simulated processor is some hundred
 * times slower than a real one, so by the machine's clock limits of waits would pass early and groups of commits be
 * small.
 *
 * <p>Where nobody works, because all wait for something that only time brings, no cycles pass. After
 * {@value #STILL_LOOKS} looks in a row that saw hardly any work, time goes on with the machine's, so that what is
 * waited for comes.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The time never goes back: it is a sum of counts that only grow.
 *   <li>Each reading adds a nanosecond, or where no simulator tells cycles, {@value #READING_NANOS}: a loop that does
 *       nothing but ask for the time ends, and the count of readings, some three for each transaction, is the time.
 * </ul>
 *
 * <p>Thread-safe; blocks nobody.
 */
public final class SimulatedTime implements TimeSource {
    /** A processor of 3 GHz. */
    static final long CYCLES_PER_NANO = 3;

    /** A third of what a short transaction takes, which reads the time about as often. */
    static final long READING_NANOS = 10_000;

    /** How long a park lasts on the machine's clock: some thousand simulated cycles, a microsecond. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * Looks without work before time goes on by itself: 20 ms, longer than threads of the JVM, such as a compiler, keep
     * a thread that works from the real processor.
     */
    static final int STILL_LOOKS = 20;

    /** What looking itself takes, at most, in simulated cycles; a simulated processor works off more in one look. */
    private static final long LOOK_CYCLES_MAX = 6_000;

    private final AtomicLong readings = new AtomicLong();
    private final AtomicLong idleNanos = new AtomicLong();

    /** Guards what follows; who does not get it leaves the looking to who has it. */
    private final ReentrantLock lock = new ReentrantLock();

    private long cyclesSeen;
    private long seenNanos;
    private int stillLooks;

    /** For the service loader. */
    public SimulatedTime() {}

    /** What tells the time in this process, in a few words, for a report. */
    public static String description() {
        if (System.getProperty(InstalledTime.PROPERTY) == null) {
            return "the machine's clock";
        }
        return Markers.clockCycles() > 0
                ? "simulated cycles at " + CYCLES_PER_NANO + " a nanosecond, the machine's clock while nobody works"
                : "readings of the clock, " + READING_NANOS / 1_000 + " µs each";
    }

    @Override
    public long nanoTime() {
        long cycles = Markers.clockCycles();
        long reading = readings.incrementAndGet();
        long worked = cycles > 0 ? cycles / CYCLES_PER_NANO + reading : reading * READING_NANOS;
        return worked + idleNanos.get();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
        if (nanos <= 0) {
            return;
        }
        LockSupport.parkNanos(blocker, Math.min(nanos, LOOK_NANOS));
        if (lock.tryLock()) {
            try {
                look(Markers.clockCycles(), System.nanoTime());
            } finally {
                lock.unlock();
            }
        }
    }

    /** Under the lock: lets time go on if the processors have stood still for long. */
    private void look(long cycles, long nowNanos) {
        long passedNanos = nowNanos - seenNanos;
        if (stillLooks > 0 && passedNanos < LOOK_NANOS / 2) {
            // One of many that are parked, each of whom looks.
            return;
        }
        if (cycles - cyclesSeen > LOOK_CYCLES_MAX || stillLooks == 0) {
            stillLooks = 1;
        } else if (++stillLooks > STILL_LOOKS) {
            stillLooks = STILL_LOOKS;
            idleNanos.addAndGet(passedNanos);
        }
        cyclesSeen = cycles;
        seenNanos = nowNanos;
    }
}
