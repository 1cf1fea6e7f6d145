package dev.lockstep.engine.log;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Time that passes only when a test says so. */
final class ManualClock implements LogClock {
    private static final long AWAKE = -1;

    private final AtomicLong now = new AtomicLong(1_000_000);
    private final AtomicLong parkedUntil = new AtomicLong(AWAKE);
    private final AtomicLong parkCount = new AtomicLong();
    private volatile Thread parked;

    @Override
    public long nanoTime() {
        return now.get();
    }

    @Override
    public void park(long nanos) {
        parked = Thread.currentThread();
        parkCount.incrementAndGet();
        parkedUntil.set(nanos == UNTIL_SIGNALLED ? UNTIL_SIGNALLED : now.get() + nanos);
        if (parkedUntil.get() > now.get()) {
            LockSupport.park(this);
        }
        parkedUntil.set(AWAKE);
    }

    /** Lets time pass, and wakes who slept for it. */
    void advance(long nanos) {
        long time = now.addAndGet(nanos);
        if (parkedUntil.get() <= time) {
            LockSupport.unpark(parked);
        }
    }

    /** Ends a sleep for no reason, as may happen to every park, and returns when there is another one. */
    void wakeEarly() {
        long count = parkCount.get();
        LockSupport.unpark(parked);
        // Ends because the writer has nothing else to do.
        while (parkCount.get() == count) {
            Thread.yield();
        }
    }

    /** Returns when the log's writer sleeps, and until when. */
    long awaitParked() {
        long until = parkedUntil.get();
        // Ends because the writer runs out of work.
        while (until == AWAKE || until <= now.get()) {
            Thread.yield();
            until = parkedUntil.get();
        }
        return until;
    }
}
