package dev.lockstep.engine.file;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

/**
 * A fixed number of engine threads that do file operations for threads that must not block. With none, which is for
 * storages that {@linkplain Storage#answersAtOnce answer at once}, whoever has an operation to do does it itself.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A thread that finds no task sets its element of {@code parked} to 1 and looks once more before it parks;
 *       whoever adds a task does so first and looks at {@code parked} afterwards. So one of the two sees the other.
 *   <li>Whoever changes an element of {@code parked} from 1 to 0 wakes that thread, and nobody else does.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread. {@link #submit} takes no lock and never waits, where there
 * are threads.
 */
public final class IoThreads implements AutoCloseable {
    /** Bounded by those who submit: each waits for its task, or owns the frame that the task fills. */
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    private final EngineThread[] threads;
    private final AtomicIntegerArray parked;
    private final CountDownLatch running;
    private volatile boolean isClosing;

    /**
     * Makes and starts the threads.
     *
     * @param threadCount how many operations may be in flight at once; 0: callers do them
     */
    public IoThreads(int threadCount) {
        if (threadCount < 0) {
            throw new IllegalArgumentException("too few threads: threadCount=" + threadCount);
        }
        threads = new EngineThread[threadCount];
        parked = new AtomicIntegerArray(threadCount);
        running = new CountDownLatch(threadCount);
        for (int i = 0; i < threadCount; i++) {
            int threadIndex = i;
            threads[i] = new EngineThread(() -> work(threadIndex), "lockstep-io-" + i);
        }
        int started = 0;
        try {
            for (EngineThread thread : threads) {
                thread.start();
                started++;
            }
        } finally {
            if (started < threads.length) {
                // Nobody gets to close those that run.
                isClosing = true;
                for (int i = 0; i < started; i++) {
                    LockSupport.unpark(threads[i]);
                }
            }
        }
    }

    /**
     * Has a task run soon.
     *
     * @param task must not throw: who waits for the outcome learns it from the task itself
     * @throws IllegalStateException if the threads were closed
     */
    public void submit(Runnable task) {
        if (isClosing) {
            throw new IllegalStateException("I/O threads are closed");
        }
        if (threads.length == 0) {
            task.run();
            return;
        }
        tasks.add(task);
        for (int i = 0; i < threads.length; i++) {
            if (parked.get(i) == 1 && parked.compareAndSet(i, 1, 0)) {
                LockSupport.unpark(threads[i]);
                return;
            }
        }
    }

    /** Ends the threads after all tasks submitted before have run. An interrupt does not end the wait. */
    @Override
    public void close() {
        isClosing = true;
        for (int i = 0; i < threads.length; i++) {
            parked.set(i, 0);
            LockSupport.unpark(threads[i]);
        }
        EngineThreads.awaitUninterruptibly(running);
    }

    private void work(int threadIndex) {
        try {
            // Ends with close().
            while (true) {
                Runnable task = tasks.poll();
                if (task != null) {
                    task.run();
                } else if (isClosing) {
                    return;
                } else {
                    await(threadIndex);
                }
            }
        } finally {
            running.countDown();
        }
    }

    private void await(int threadIndex) {
        parked.set(threadIndex, 1);
        if (tasks.isEmpty() && !isClosing) {
            // Parking may end for no reason; the loop of the caller looks again.
            LockSupport.park(this);
        }
        parked.set(threadIndex, 0);
    }
}
