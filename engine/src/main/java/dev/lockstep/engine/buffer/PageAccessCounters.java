package dev.lockstep.engine.buffer;

import dev.lockstep.scheduler.latch.LatchWatch;
import dev.lockstep.scheduler.latch.SpinLatch;

/**
 * All counters of page accesses, in a ring so that one of ten thousand sessions ends in constant time.
 *
 * <p>Invariants, under {@code latch}:
 * <ul>
 *   <li>The ring holds {@code anchor} and every counter that was made and not closed.
 *   <li>{@code closedAccesses} is the sum of the counters that were closed.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread.
 */
final class PageAccessCounters {
    private final SpinLatch latch;
    private final PageAccessCounter anchor = new PageAccessCounter(this);
    private long closedAccesses;

    @SuppressWarnings("this-escape")
    PageAccessCounters(LatchWatch watch) {
        latch = new SpinLatch(watch);
        anchor.setNext(anchor);
        anchor.setPrevious(anchor);
    }

    PageAccessCounter add() {
        PageAccessCounter counter = new PageAccessCounter(this);
        latch.latch();
        counter.setPrevious(anchor.previous());
        counter.setNext(anchor);
        anchor.previous().setNext(counter);
        anchor.setPrevious(counter);
        latch.unlatch();
        return counter;
    }

    void remove(PageAccessCounter counter) {
        latch.latch();
        if (counter.next() != null) {
            closedAccesses += counter.accessesOpaque();
            counter.previous().setNext(counter.next());
            counter.next().setPrevious(counter.previous());
            counter.setNext(null);
            counter.setPrevious(null);
        }
        latch.unlatch();
    }

    long sum() {
        latch.latch();
        long sum = closedAccesses;
        for (PageAccessCounter counter = anchor.next(); counter != anchor; counter = counter.next()) {
            sum += counter.accessesOpaque();
        }
        latch.unlatch();
        return sum;
    }
}
