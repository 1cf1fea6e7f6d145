package dev.lockstep.bench.prove;

import java.util.concurrent.atomic.AtomicLong;

/** Kills a child that says nothing for too long. Used by one thread, beside its own. */
final class ChildWatch implements AutoCloseable {
    private static final int LOOKS_PER_LIMIT = 10;

    private final AtomicLong heardNanos = new AtomicLong(System.nanoTime());
    private final Thread thread;
    private volatile boolean fired;

    /**
     * Begins to watch.
     *
     * @param nanosMax longest silence
     */
    ChildWatch(KilledJvm child, long nanosMax) {
        thread = Thread.ofPlatform().name("child-watch").daemon().start(() -> {
            try {
                // Ends with the child, or by an interrupt when nobody waits for it any more.
                while (child.goesOnFor(nanosMax / LOOKS_PER_LIMIT)) {
                    if (System.nanoTime() - heardNanos.get() > nanosMax) {
                        fired = true;
                        child.close();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** It has said something. */
    void heard() {
        heardNanos.set(System.nanoTime());
    }

    /** Whether the child was killed for its silence. */
    boolean hasFired() {
        return fired;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
