package dev.lockstep.engine.buffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts the page accesses of one session: a shared counter would make every access of every core wait for the same
 * cache line.
 *
 * <p>Thread-safety: {@link #countAccess()} by one thread at a time, its owner; read by any.
 */
public final class PageAccessCounter implements AutoCloseable {
    private static final VarHandle ACCESSES;

    static {
        try {
            ACCESSES = MethodHandles.lookup().findVarHandle(PageAccessCounter.class, "accesses", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PageAccessCounters owner;
    private long accesses;
    private PageAccessCounter previous;
    private PageAccessCounter next;

    PageAccessCounter(PageAccessCounters owner) {
        this.owner = owner;
    }

    /** Counts one access. */
    public void countAccess() {
        setAccessesOpaque(accesses + 1);
    }

    /** Counts several accesses. */
    public void countAccesses(long count) {
        setAccessesOpaque(accesses + count);
    }

    /** Hands the count over to the pool. A second call does nothing. */
    @Override
    public void close() {
        owner.remove(this);
    }

    /** A stale value misses accesses of the last nanoseconds, which statistics may. */
    long accessesOpaque() {
        return (long) ACCESSES.getOpaque(this);
    }

    private void setAccessesOpaque(long count) {
        ACCESSES.setOpaque(this, count);
    }

    PageAccessCounter previous() {
        return previous;
    }

    PageAccessCounter next() {
        return next;
    }

    void setPrevious(PageAccessCounter previous) {
        this.previous = previous;
    }

    void setNext(PageAccessCounter next) {
        this.next = next;
    }
}
