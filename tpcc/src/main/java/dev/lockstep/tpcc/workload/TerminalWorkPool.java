package dev.lockstep.tpcc.workload;

import dev.lockstep.scheduler.WaitReason;
import dev.lockstep.scheduler.Waiter;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lends the sessions and rows that a turn of a terminal needs. Ten thousand terminals have ten thousand turns to take,
 * but only as many under way as there are carriers and waits for locks; so there are as many sessions as turns were
 * under way at the same time, and what was used last, which is still in the caches, is lent first. Where one terminal
 * waits for a lock and holds others, all of its warehouse may come to wait for it: beyond a number of sessions the next
 * terminals wait for one of these, in their order, as they would in front of a transaction monitor.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A piece of work is either idle here or lent to one thread; {@code madeCount} says how many there are, with
 *       those that are being made.
 *   <li>A new one is made only when all are lent, so there are never more than borrowers at the same time, and never
 *       more than {@code countMax}.
 *   <li>Somebody waits only while all that there may be are lent: what comes back goes to who has waited longest.
 *   <li>After {@link #close} none is idle: what comes back later, and nobody waits for, is closed by who brings it.
 * </ul>
 *
 * Thread-safe, also for S-threads, which give up their carrier while they wait. Borrowing allocates only when it makes
 * a new piece of work, or waits.
 */
public final class TerminalWorkPool implements AutoCloseable {
    /**
     * Sessions of one run. Each takes some 130 KB with the batches of all five transactions, so that these are an
     * eighth of the heap of 512 MB; ten thousand, which as many terminals under the JDK's scheduling came to need, were
     * three times the heap, and with a thousand the collector took a fiftieth of the time.
     */
    static final int COUNT_MAX = 500;

    private final TpccAdapter adapter;
    private final int countMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<TerminalWork> idle = new ArrayDeque<>();
    private final ArrayDeque<Borrower> waiting = new ArrayDeque<>();
    private int madeCount;
    private boolean closed;

    /** Who waits; guarded by the lock but for its waiter. */
    private static final class Borrower {
        final Waiter waiter = new Waiter();

        /** Whether it has what it waits for. */
        boolean served;

        /** Null where it is to make one. */
        TerminalWork work;
    }

    /** @param adapter opens the sessions */
    public TerminalWorkPool(TpccAdapter adapter) {
        this(adapter, COUNT_MAX);
    }

    TerminalWorkPool(TpccAdapter adapter, int countMax) {
        this.adapter = adapter;
        this.countMax = countMax;
    }

    /** Lends a piece of work, to be given back with {@link #giveBack}, or {@linkplain #discard discarded}. */
    TerminalWork borrow() {
        TerminalWork work;
        Borrower borrower = null;
        lock.lock();
        try {
            work = idle.pollFirst();
            if (work == null && madeCount < countMax) {
                madeCount++;
            } else if (work == null) {
                borrower = new Borrower();
                waiting.addLast(borrower);
            }
        } finally {
            lock.unlock();
        }
        if (borrower != null) {
            await(borrower);
            work = borrower.work;
        }
        return work == null ? make() : work;
    }

    private void await(Borrower borrower) {
        while (true) {
            borrower.waiter.prepare();
            lock.lock();
            try {
                if (borrower.served) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            borrower.waiter.awaitUninterruptibly(Waiter.NO_DEADLINE, WaitReason.OTHER);
        }
    }

    private TerminalWork make() {
        TerminalWork made = null;
        try {
            made = new TerminalWork(adapter.openSession());
            return made;
        } finally {
            if (made == null) {
                serve(null);
            }
        }
    }

    /** Takes a piece of work back; its session has no open transaction. */
    void giveBack(TerminalWork work) {
        if (!serve(work)) {
            work.close();
        }
    }

    /** Closes what was lent, the transaction of whose session has failed. */
    void discard(TerminalWork work) {
        serve(null);
        work.close();
    }

    /**
     * Gives a piece of work to who has waited longest, or keeps it.
     *
     * @param work null for leave to make one in the place of another
     * @return false if it is to be closed
     */
    private boolean serve(TerminalWork work) {
        Borrower next;
        boolean kept = true;
        lock.lock();
        try {
            next = waiting.pollFirst();
            if (next != null) {
                next.work = work;
                next.served = true;
            } else if (work == null) {
                madeCount--;
            } else if (closed) {
                kept = false;
            } else {
                idle.addFirst(work);
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            next.waiter.signal();
        }
        return kept;
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
