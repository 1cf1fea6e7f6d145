package dev.lockstep.scheduler.latch;

/**
 * An exclusive latch on cache lines of its own, for short sections such as a stripe of a hash table or the tail of a
 * log. A waiter reads until the latch looks free and only then tries to take it (test and test-and-set), so waiting
 * does not take the line from the holder.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The word is {@code HELD} exactly while one thread is between {@code latch()} and {@code unlatch()}.
 *   <li>The latch knows nothing of its holder and is not re-entrant.
 *   <li>The word shares no aligned pair of 64-byte lines with anything that is written: 120 bytes of padding lie on
 *       either side.
 * </ul>
 *
 * <p>A holder parks on no {@code Waiter}, and the scheduler never switches it out; where it has to spin long itself, a
 * virtual thread sleeps for moments ({@link Backoff}). There is no queue: among waiters any may be next, which
 * is acceptable because holds take well under a microsecond.
 *
 * <p>Thread-safety: all methods may be called by any thread; a release happens before the next acquisition.
 */
@SuppressWarnings("unused")
public final class SpinLatch extends SpinLatchWord {
    private long after00;
    private long after01;
    private long after02;
    private long after03;
    private long after04;
    private long after05;
    private long after06;
    private long after07;
    private long after08;
    private long after09;
    private long after10;
    private long after11;
    private long after12;
    private long after13;
    private long after14;

    /** Read only; so it does not matter that it may lie in front of the padding. */
    private final LatchWatch watch;

    /** Creates a free latch whose holders always give it back. */
    public SpinLatch() {
        this(LatchWatch.NONE);
    }

    /**
     * Creates a free latch.
     *
     * @param watch ends waits for a holder that will never give it back
     */
    public SpinLatch(LatchWatch watch) {
        this.watch = watch;
    }

    /**
     * Waits until the latch is free, and holds it.
     *
     * @throws RuntimeException what the watch throws, after a long wait; the latch is not held then
     */
    public void latch() {
        int round = 0;
        // Ends because a holder parks on no Waiter and is not switched out; where one was cut short, the watch ends it.
        while (!tryLatch()) {
            round = Backoff.pause(round, watch);
        }
    }

    /** Holds the latch if it is free; returns whether it does. */
    public boolean tryLatch() {
        return stateOpaque() == FREE && casStateAcquire(FREE, HELD);
    }

    /**
     * Frees the latch.
     *
     * @throws IllegalMonitorStateException if it is free already
     */
    public void unlatch() {
        if (stateOpaque() == FREE) {
            throw new IllegalMonitorStateException("latch is not held");
        }
        setStateRelease(FREE);
    }

    /** Returns whether somebody holds the latch; a snapshot, for assertions and validation. */
    public boolean isLatched() {
        return stateOpaque() == HELD;
    }
}
