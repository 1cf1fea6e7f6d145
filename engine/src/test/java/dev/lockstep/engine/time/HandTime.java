package dev.lockstep.engine.time;

import dev.lockstep.scheduler.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** A time that stands still until it is moved. */
public final class HandTime implements TimeSource {
    /** How long a park really lasts, before the thread looks again. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final AtomicLong NOW = new AtomicLong(1);
    private static final AtomicLong PARKED_FOR_LONG = new AtomicLong();

    /** For the service loader. */
    public HandTime() {}

    static void advance(long nanos) {
        NOW.addAndGet(nanos);
    }

    /** How often somebody parked for this time or longer. */
    static long parksForHours() {
        return PARKED_FOR_LONG.get();
    }

    @Override
    public long nanoTime() {
        return NOW.get();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
        if (nanos >= TimeUnit.HOURS.toNanos(1)) {
            PARKED_FOR_LONG.incrementAndGet();
        }
        LockSupport.parkNanos(blocker, Math.min(nanos, LOOK_NANOS));
    }
}
