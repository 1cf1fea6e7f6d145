package dev.lockstep.engine.instance;

import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.Message;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether the instance may still be used. The first failure of a durable write, or of a change in the middle of a
 * page, marks it failed for good: what is in memory may no longer match what is on disk, and only reopening, which
 * runs recovery, can tell. Thread-safe.
 */
public final class Health {
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Marks the instance failed; only the first cause is kept. */
    public void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
    }

    public boolean isFailed() {
        return failure.getAcquire() != null;
    }

    /**
     * @throws DatabaseFailedException if the instance is marked failed
     */
    public void check() {
        Throwable cause = failure.getAcquire();
        if (cause != null) {
            throw new DatabaseFailedException(
                    Message.of("the database is marked failed")
                            .with("cause", cause)
                            .remedy("close it and open it again: recovery brings back everything acknowledged"),
                    cause);
        }
    }
}
