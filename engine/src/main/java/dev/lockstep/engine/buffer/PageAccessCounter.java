package dev.lockstep.engine.buffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts the page accesses of one session: a shared counter would make every access of every core wait for the same
 * cache line.
 *
 * <p>Thread-safety: counting by one thread at a time, its owner; read by any, who may miss the last nanoseconds.
 */
public final class PageAccessCounter implements AutoCloseable {
    private static final VarHandle ACCESSES;
    private static final VarHandle MISSES;

    static {
        try {
            ACCESSES = MethodHandles.lookup().findVarHandle(PageAccessCounter.class, "accesses", long.class);
            MISSES = MethodHandles.lookup().findVarHandle(PageAccessCounter.class, "misses", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PageAccessCounters owner;
    private long accesses;
    private long misses;
    private PageAccessCounter previous;
    private PageAccessCounter next;

    PageAccessCounter(PageAccessCounters owner) {
        this.owner = owner;
    }

    /** Counts one access. */
    public void countAccess() {
        setAccessesOpaque(accesses + 1);
    }

    /** Counts one access that did not find its page in the pool, beside {@link #countAccess()}. */
    public void countMiss() {
        MISSES.setOpaque(this, misses + 1);
    }

    /** Hands the count over to the pool. A second call does nothing. */
    @Override
    public void close() {
        owner.remove(this);
    }

    /** Returns how many accesses were counted. A stale value misses those of the last nanoseconds. */
    public long accessesOpaque() {
        return (long) ACCESSES.getOpaque(this);
    }

    /** Returns how many accesses did not find their page in the pool. As stale as {@link #accessesOpaque()}. */
    public long missesOpaque() {
        return (long) MISSES.getOpaque(this);
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
