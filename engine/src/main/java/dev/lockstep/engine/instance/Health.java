package dev.lockstep.engine.instance;

import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.file.FailureListener;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether the instance may still be used. The first failure of a durable write, or of a change in the middle of a
 * page, marks it failed for good: what is in memory may no longer match what is on disk, and only reopening, which
 * runs recovery, can tell. Thread-safe.
 *
 * <p>What fails in the background without such consequences, and will be tried again, is a setback: it is counted and
 * the latest is kept, since no call of an application could be told.
 *
 * <p>Invariants: {@code failure} is set once and never reset; the count of setbacks never falls.
 */
public final class Health implements FailureListener {
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private final AtomicReference<Setbacks> setbacks = new AtomicReference<>(new Setbacks(0, null));

    private volatile Runnable onFailure = () -> {};

    /**
     * Setbacks so far.
     *
     * @param count how many
     * @param last the latest; null without any
     */
    public record Setbacks(long count, Throwable last) {}

    /**
     * Marks the instance failed; only the first cause is kept. Everybody who waits for a lock is woken each time, since
     * a caller whose stack was full may have got no further the time before.
     */
    public void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
        onFailure.run();
    }

    /** Marks the instance failed, or notes a setback, of which only the latest is kept. */
    @Override
    public void failed(Throwable cause, boolean isFatal) {
        if (isFatal) {
            fail(cause);
        } else {
            setbacks.updateAndGet(before -> new Setbacks(before.count() + 1, cause));
        }
    }

    public Setbacks setbacks() {
        return setbacks.get();
    }

    /** Why the instance is marked failed; null if it is not. */
    public Throwable failureOrNull() {
        return failure.getAcquire();
    }

    /** Has an action run after each failure, on the thread that met it, which may hold latches. */
    void onFailure(Runnable action) {
        onFailure = action;
    }

    public boolean isFailed() {
        return failure.getAcquire() != null;
    }

    /**
     * @throws DatabaseFailedException if the instance is marked failed
     */
    public void check() {
        // Volatile: who is about to wait either sees the failure or is woken by it.
        Throwable cause = failure.get();
        if (cause != null) {
            throw new DatabaseFailedException(
                    Message.of("the database is marked failed")
                            .with("cause", cause)
                            .remedy("close it and open it again: recovery brings back everything acknowledged"),
                    cause);
        }
    }
}
