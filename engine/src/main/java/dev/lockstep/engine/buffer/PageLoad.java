package dev.lockstep.engine.buffer;

import dev.lockstep.scheduler.Waiter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One page being read into one frame, and everybody who waits for it.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code waits} is a list that grows at its head until it is replaced by {@code CLOSED}, once; then everybody who
 *       was in the list is woken, and nobody else enters.
 * </ul>
 *
 * <p>Thread-safety: {@link #join} by any thread, {@link #end} by the thread that reads.
 */
final class PageLoad {
    private static final PoolRequest.LoadWait CLOSED = new PoolRequest.LoadWait(new Waiter());
    private static final VarHandle WAITS;

    static {
        try {
            WAITS = MethodHandles.lookup().findVarHandle(PageLoad.class, "waits", PoolRequest.LoadWait.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int pageId;

    @SuppressWarnings("unused")
    private PoolRequest.LoadWait waits;

    PageLoad(int pageId) {
        this.pageId = pageId;
    }

    int pageId() {
        return pageId;
    }

    /** Enters a thread; returns null if the page has been read already. */
    PoolRequest.LoadWait join(Waiter waiter) {
        PoolRequest.LoadWait wait = new PoolRequest.LoadWait(waiter);
        PoolRequest.LoadWait head = waitsAcquire();
        // Ends because a failed attempt means that another thread entered or the reading ended.
        while (head != CLOSED) {
            wait.setNext(head);
            if (casWaits(head, wait)) {
                return wait;
            }
            head = waitsAcquire();
        }
        return null;
    }

    /** Wakes everybody. */
    void end(Throwable failureOrNull) {
        PoolRequest.LoadWait wait = getAndCloseWaits();
        while (wait != null) {
            PoolRequest.LoadWait next = wait.next();
            wait.complete(failureOrNull);
            wait = next;
        }
    }

    private PoolRequest.LoadWait waitsAcquire() {
        return (PoolRequest.LoadWait) WAITS.getAcquire(this);
    }

    private boolean casWaits(PoolRequest.LoadWait expected, PoolRequest.LoadWait replacement) {
        return WAITS.compareAndSet(this, expected, replacement);
    }

    private PoolRequest.LoadWait getAndCloseWaits() {
        return (PoolRequest.LoadWait) WAITS.getAndSet(this, CLOSED);
    }
}
