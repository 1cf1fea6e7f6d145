package dev.lockstep.bench.simulate.jvm;

import dev.lockstep.counters.Markers;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The time of the simulated processors: their cycles, told by the simulator. A simulated processor is some hundred
 * times slower than a real one, so by the machine's clock limits of waits would pass early and groups of commits be
 * small.
 *
 * <p>Where nobody works, because all wait for something that only time brings, no cycles pass. After
 * {@value #STILL_LOOKS} looks in a row that saw hardly any work, each further one adds what it was to wait, {@value
 * #LOOK_MILLIS} ms, so that what is waited for comes. The machine's clock only says when to look: however long it
 * keeps a thread from looking, a look adds no more.
 *
 * <p>Cycles tell of more than of the workload: of compilations that it waits for, and of what the engine's threads
 * do where they are simulated, which look at their work by the machine's clock. Where two runs are to take the same
 * decisions, the time is, by {@link #PROPERTY}, a count of the readings of the threads that run the workload: then it
 * goes on only by what they do.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The time never goes back: it is a sum of counts that only grow.
 *   <li>Each reading adds a nanosecond, or where no simulator tells cycles, {@value #READING_NANOS}: a loop that does
 *       nothing but ask for the time ends, and the count of readings, some three for each transaction, is the time.
 *       Where readings are to be the time, those of the engine's own threads and of the main thread add nothing: how
 *       often they look depends on the machine, and they park between two looks.
 * </ul>
 *
 * <p>Thread-safe; blocks nobody.
 */
public final class SimulatedTime implements TimeSource {
    /** System property that says what the time is: {@link #CYCLES}, which is the default, or {@link #READINGS}. */
    public static final String PROPERTY = "lockstep.simulated.time";

    /** Value of {@link #PROPERTY}: the time is a count of its readings by the threads that run the workload. */
    public static final String READINGS = "readings";

    /** Value of {@link #PROPERTY}: the simulated processors' cycles. */
    public static final String CYCLES = "cycles";

    /** A processor of 3 GHz. */
    public static final long CYCLES_PER_NANO = 3;

    /** A third of what a short transaction takes, which reads the time about as often. */
    static final long READING_NANOS = 10_000;

    /** How long a park lasts on the machine's clock: some thousand simulated cycles, a microsecond. */
    private static final long LOOK_MILLIS = 1;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);

    /** The same where readings are the time: what looking executes differs from run to run, so there is less of it. */
    private static final long LOOK_NANOS_OF_READINGS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * Looks without work before time goes on by itself: 20 ms, longer than threads of the JVM, such as a compiler, keep
     * a thread that works from the real processor.
     */
    static final int STILL_LOOKS = 20;

    /** The same where readings are the time: 10 s, longer than a compilation on which the workload waits. */
    private static final int STILL_LOOKS_OF_READINGS = 500;

    /** What looking itself takes, at most, in simulated cycles; a simulated processor works off more in one look. */
    private static final long LOOK_CYCLES_MAX = 6_000;

    /** With which the names of the engine's own threads begin. */
    private static final String ENGINE_PREFIX = "lockstep-";

    /** With which they go on where they are the scheduler's carriers, which run the workload. */
    private static final String CARRIER_MARK = "-carrier-";

    /** The thread that started the workload, and looks whether it gets on. */
    private static final String DRIVER = "main";

    private final boolean byReadings;
    private final LongSupplier machineNanos;

    private final AtomicLong readings = new AtomicLong();
    private final AtomicLong idleNanos = new AtomicLong();

    /** Guards what follows; who does not get it leaves the looking to who has it. */
    private final ReentrantLock lock = new ReentrantLock();

    private long cyclesSeen;
    private long seenNanos;

    /** When a look last added to the time; several threads that look in turn add no more than one. */
    private long addedNanos;

    private int stillLooks;

    /**
     * For the service loader.
     *
     * @throws IllegalArgumentException if {@link #PROPERTY} has neither of its values
     */
    public SimulatedTime() {
        this(isByReadings(), System::nanoTime);
    }

    /** For tests: by another machine's clock. */
    SimulatedTime(boolean byReadings, LongSupplier machineNanos) {
        this.byReadings = byReadings;
        this.machineNanos = machineNanos;
    }

    private static boolean isByReadings() {
        String value = System.getProperty(PROPERTY, CYCLES);
        if (!value.equals(CYCLES) && !value.equals(READINGS)) {
            throw new IllegalArgumentException("no such simulated time: " + PROPERTY + "=" + value + "; remedy: use "
                    + CYCLES + " or " + READINGS);
        }
        return value.equals(READINGS);
    }

    /** What tells the time in this process, in a few words, for a report. */
    public static String description() {
        if (System.getProperty(InstalledTime.PROPERTY) == null) {
            return "the machine's clock";
        }
        if (isByReadings()) {
            return "readings of the clock by the workload, " + READING_NANOS / 1_000 + " µs each";
        }
        return Markers.clockCycles() > 0
                ? "simulated cycles at " + CYCLES_PER_NANO + " a nanosecond, and while nobody works looks, "
                        + LOOK_MILLIS + " ms each"
                : "readings of the clock, " + READING_NANOS / 1_000 + " µs each";
    }

    /** What to say of a run that went by what {@link #description} tells. */
    public static String sentence(String description) {
        return "Its limits, group commit, governor, samples, rates and latencies go by: " + description + ".";
    }

    /** The same of a program that is not ours, and so has its own timers. */
    public static String sentenceOfOthers(String description) {
        return "Its rates and latencies go by: " + description
                + "; timers of its own, if it has any, by the machine's clock.";
    }

    @Override
    public long nanoTime() {
        if (byReadings) {
            long counted = runsWorkload(Thread.currentThread()) ? readings.incrementAndGet() : readings.get();
            return counted * READING_NANOS + idleNanos.get();
        }
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
        LockSupport.parkNanos(blocker, Math.min(nanos, lookNanos()));
        if (lock.tryLock()) {
            try {
                look(
                        byReadings ? readings.get() * (LOOK_CYCLES_MAX + 1) : Markers.clockCycles(),
                        machineNanos.getAsLong());
            } finally {
                lock.unlock();
            }
        }
    }

    private long lookNanos() {
        return byReadings ? LOOK_NANOS_OF_READINGS : LOOK_NANOS;
    }

    private int stillLooksMax() {
        return byReadings ? STILL_LOOKS_OF_READINGS : STILL_LOOKS;
    }

    private static boolean runsWorkload(Thread thread) {
        String name = thread.getName();
        return name.startsWith(ENGINE_PREFIX) ? name.contains(CARRIER_MARK) : !name.equals(DRIVER);
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
        } else if (++stillLooks > stillLooksMax()) {
            stillLooks = stillLooksMax();
            if (nowNanos - addedNanos >= lookNanos()) {
                addedNanos = nowNanos;
                idleNanos.addAndGet(lookNanos());
            }
        }
        cyclesSeen = cycles;
        seenNanos = nowNanos;
    }
}
