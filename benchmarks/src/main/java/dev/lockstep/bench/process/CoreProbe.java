package dev.lockstep.bench.process;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Whether somebody else works on this processor's core. A virtual processor may be one of two hardware threads of a
 * core, and the other one a neighbour's: then each executes fewer instructions at once, and the processor time of the
 * same work rises by a third and more, though no clock and no count of a guest tells. What each waits for by itself,
 * such as a chain of dependent instructions, takes as long as before. So the same steps are timed as eight independent
 * chains and as one; their ratio is the crowding of the core. It depends on processor and compiler, and means something
 * beside that of another run of the same JVM on the same machine only: a difference is a reason for doubt, and none is
 * no proof of a core of one's own.
 *
 * <p>The first readings are of code that is interpreted and counted; they are thrown away before the first sample. A
 * thread of its own takes a sample of a tenth of a millisecond every half second, on the processors that the
 * process runs on. Thread-safe.
 */
public final class CoreProbe {
    private static final String THREAD = "core-probe";
    private static final long PAUSE_NANOS = 500_000_000;

    /** Some ten microseconds: mostly shorter than the time until another thread has the processor. */
    private static final int STEPS = 8_000;

    private static final int CHAINS = 8;

    /** The fastest counts: whatever interrupts makes it slower. */
    private static final int TRIES = 5;

    /** Long enough for the compilers to have done, at the start of a JVM, what readings execute. */
    private static final long WARM_UP_NANOS_MIN = 100_000_000;

    /** Where others come and go all the time, readings never agree. */
    private static final long WARM_UP_NANOS_MAX = 1_000_000_000;

    /** Part of a reading by which the next one may differ; what is interpreted yet differs by far more. */
    private static final double AGREEMENT_MAX = 0.05;

    private static final long INCREMENT = 0x9e37_79b9_7f4a_7c15L;
    private static final int SHIFT = 7;

    private final List<Double> samples = Collections.synchronizedList(new ArrayList<>());

    /** Keeps what is computed, so that it is computed. */
    private final AtomicLong results = new AtomicLong();

    /** Has its steps compiled, then starts the thread, which ends with the process. */
    public CoreProbe() {
        warmUp(this::crowding, System::nanoTime);
        Thread.ofPlatform().name(THREAD).daemon().start(this::sample);
    }

    /** Takes readings that count for nothing, until they are those of compiled code. */
    static void warmUp(DoubleSupplier readings, LongSupplier nanos) {
        long begin = nanos.getAsLong();
        double last = readings.getAsDouble();
        boolean isSettled = false;
        // Ends by the clock.
        while (!isSettled) {
            double next = readings.getAsDouble();
            long passed = nanos.getAsLong() - begin;
            isSettled = passed >= WARM_UP_NANOS_MAX
                    || (passed >= WARM_UP_NANOS_MIN && Math.abs(next - last) <= AGREEMENT_MAX * last);
            last = next;
        }
    }

    private void sample() {
        while (!Thread.currentThread().isInterrupted()) {
            samples.add(crowding());
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Forgets the samples so far. */
    public void begin() {
        samples.clear();
    }

    /**
     * The mean of the samples since {@link #begin}, since neighbours come and go; of one of now where there is none.
     */
    public double mean() {
        List<Double> taken = List.of(samples.toArray(Double[]::new));
        return taken.isEmpty() ? crowding() : mean(taken);
    }

    static double mean(List<Double> samples) {
        return samples.stream().mapToDouble(Double::doubleValue).sum() / samples.size();
    }

    /** Time of eight independent chains over that of as many steps in one. */
    double crowding() {
        long independent = Long.MAX_VALUE;
        long dependent = Long.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            long begin = System.nanoTime();
            long first = independent(i, STEPS / CHAINS);
            long middle = System.nanoTime();
            long second = dependent(i, STEPS / CHAINS);
            long end = System.nanoTime();
            results.addAndGet(first + second);
            independent = Math.min(independent, middle - begin);
            dependent = Math.min(dependent, end - middle);
        }
        return (double) independent / Math.max(1, dependent);
    }

    private static long step(long value) {
        return value + INCREMENT ^ value >>> SHIFT;
    }

    /** So many steps of each of eight chains. */
    static long independent(long seed, int steps) {
        long a = seed;
        long b = seed + 1;
        long c = seed + 2;
        long d = seed + 3;
        long e = seed + 4;
        long f = seed + 5;
        long g = seed + 6;
        long h = seed + 7;
        for (int i = 0; i < steps; i++) {
            a = step(a);
            b = step(b);
            c = step(c);
            d = step(d);
            e = step(e);
            f = step(f);
            g = step(g);
            h = step(h);
        }
        return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
    }

    /** Eight times as many steps of one chain. */
    static long dependent(long seed, int steps) {
        long a = seed;
        for (int i = 0; i < steps; i++) {
            a = step(step(step(step(step(step(step(step(a))))))));
        }
        return a;
    }
}
