package dev.lockstep.bench.tpcc;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Calls a handler, once, when nothing was done for too long. The driver has a watch of its own over the terminals; this
 * one also covers loading, checking, opening and closing. Thread-safe.
 */
final class StallWatch implements AutoCloseable {
    /**
     * No sign of life for so long is a stall: four times the limit of the terminals, because a peer's statistics, a
     * flush of a large pool and a collection of a large heap show no progress while they run.
     */
    static final long STILL_MILLIS_MAX = 120_000;

    private static final long POLLS_PER_LIMIT = 20;

    private final long limitMillis;
    private final LongConsumer handler;
    private final AtomicLong signs = new AtomicLong();
    private final CountDownLatch closed = new CountDownLatch(1);
    private long lastCount;

    /**
     * Starts watching.
     *
     * @param handler told for how many milliseconds nothing was done
     */
    StallWatch(long limitMillis, LongConsumer handler) {
        this.limitMillis = limitMillis;
        this.handler = handler;
        Thread.ofPlatform().name("stall-watch").daemon().start(this::watch);
    }

    /** Something was done. */
    void alive() {
        signs.incrementAndGet();
    }

    /**
     * Something was done if the count is not the one of the last call. For what is told every moment, whether anything
     * was done or not. To be called by one thread at a time.
     */
    void aliveAt(long count) {
        if (count != lastCount) {
            lastCount = count;
            alive();
        }
    }

    private void watch() {
        long pollMillis = Math.max(1, limitMillis / POLLS_PER_LIMIT);
        long last = signs.get();
        long stillSince = System.nanoTime();
        try {
            while (!closed.await(pollMillis, TimeUnit.MILLISECONDS)) {
                long stillMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - stillSince);
                if (signs.get() != last) {
                    last = signs.get();
                    stillSince = System.nanoTime();
                } else if (stillMillis >= limitMillis) {
                    handler.accept(stillMillis);
                    return;
                }
            }
        } catch (InterruptedException e) {
            // Nobody interrupts this thread but a JVM that is going down.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
