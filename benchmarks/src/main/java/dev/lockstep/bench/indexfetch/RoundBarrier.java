package dev.lockstep.bench.indexfetch;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tells where a round begins: where its last member comes. Each carrier waits here with all its members until those of
 * the others have come, so that no round begins before it is told. Used by one S-thread of each carrier at a time.
 */
final class RoundBarrier {
    /** A round of a simulated core takes milliseconds; after so long a member has failed. */
    private static final Duration WAIT_MAX = Duration.ofMinutes(1);

    private final int carriers;
    private final RoundListener listener;
    private final AtomicInteger arrived = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();

    RoundBarrier(int carriers, RoundListener listener) {
        this.carriers = carriers;
        this.listener = listener;
    }

    /** Returns when all carriers are here. */
    void pass() {
        int before = begun.get();
        if (arrived.incrementAndGet() == carriers) {
            arrived.set(0);
            listener.roundBegins();
            begun.incrementAndGet();
            return;
        }
        long startNanos = System.nanoTime();
        while (begun.get() == before) {
            if (System.nanoTime() - startNanos > WAIT_MAX.toNanos()) {
                throw new IllegalStateException("members of another carrier do not come: carriers=" + carriers
                        + " arrived=" + arrived.get() + " round=" + before);
            }
            Thread.yield();
        }
    }
}
