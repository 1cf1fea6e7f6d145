package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.TpccAdapter;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lends the sessions and rows that a turn of a terminal needs. Ten thousand terminals have ten thousand turns to take,
 * but only as many under way as there are carriers and waits for locks; so there are as many sessions as turns were
 * under way at the same time, and what was used last, which is still in the caches, is lent first.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A piece of work is either idle here or lent to one thread.
 *   <li>A new one is made only when all are lent, so there are never more than borrowers at the same time.
 *   <li>After {@link #close} none is idle: what comes back later is closed by who brings it.
 * </ul>
 *
 * Thread-safe. Borrowing allocates only when it makes a new piece of work.
 */
public final class TerminalWorkPool implements AutoCloseable {
    private final TpccAdapter adapter;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<TerminalWork> idle = new ArrayDeque<>();
    private boolean closed;

    /** @param adapter opens the sessions */
    public TerminalWorkPool(TpccAdapter adapter) {
        this.adapter = adapter;
    }

    /** Lends a piece of work, to be given back with {@link #giveBack} or closed after a failure. */
    TerminalWork borrow() {
        TerminalWork work;
        lock.lock();
        try {
            work = idle.pollFirst();
        } finally {
            lock.unlock();
        }
        return work == null ? new TerminalWork(adapter.openSession()) : work;
    }

    /** Takes a piece of work back; its session has no open transaction. */
    void giveBack(TerminalWork work) {
        boolean kept;
        lock.lock();
        try {
            kept = !closed;
            if (kept) {
                idle.addFirst(work);
            }
        } finally {
            lock.unlock();
        }
        if (!kept) {
            work.close();
        }
    }

    /** Closes the sessions that are idle; those that are lent are closed when they come back. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        RuntimeException failure = null;
        // Ends: nothing becomes idle any more.
        for (TerminalWork work = takeIdle(); work != null; work = takeIdle()) {
            try {
                work.close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private TerminalWork takeIdle() {
        lock.lock();
        try {
            return idle.pollFirst();
        } finally {
            lock.unlock();
        }
    }
}
