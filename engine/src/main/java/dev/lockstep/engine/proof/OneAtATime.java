package dev.lockstep.engine.proof;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Runs actions one at a time, as a file system in memory does with calls on it. Thread-safe. */
public final class OneAtATime {
    private final ReentrantLock lock = new ReentrantLock();

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
}
