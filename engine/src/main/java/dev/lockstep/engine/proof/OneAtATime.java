package dev.lockstep.engine.proof;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Runs actions one at a time, as a file system in memory does with calls on it. Thread-safe. */
public final class OneAtATime {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Nothing runs yet. */
    public OneAtATime() {}

    /** Runs an action, which may run others within; what it throws is thrown. */
    public <T> T run(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets actions of other threads run while something holds that they may change, and for so long at most. To be
     * called within an action, which afterwards has to look again at everything that it has seen.
     *
     * @param holds asked at first, and whenever {@link #changed} was called
     * @param nanosMax how long to wait; an interrupt ends it as well, and the thread stays interrupted
     */
    public void awaitWhile(BooleanSupplier holds, long nanosMax) {
        long leftNanos = nanosMax;
        try {
            while (leftNanos > 0 && holds.getAsBoolean()) {
                leftNanos = changed.awaitNanos(leftNanos);
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    /** Wakes those that {@linkplain #awaitWhile wait}. To be called within an action. */
    public void changed() {
        changed.signalAll();
    }
}
