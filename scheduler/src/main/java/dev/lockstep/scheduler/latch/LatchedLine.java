package dev.lockstep.scheduler.latch;

import dev.lockstep.scheduler.memory.AddressSpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * An exclusive latch and the few words that it guards, together in one cache line: for what several processors change
 * in turns, such as the tail of a log. Who takes the latch then has all of it, where a {@link SpinLatch} and the fields
 * of the object that it guards are two or three lines, each of which the processor before has to give up.
 *
 * <pre>
 *  bytes 0      8        16             56       64                  128
 *  +-----------+--------+--- ... ---+--------+---------------------+
 *  | latch     | word 0 |           | word 6 | unused              |
 *  +-----------+--------+--- ... ---+--------+---------------------+
 * </pre>
 *
 * It lies outside the heap, because the JVM aligns objects to 8 bytes; the memory is freed with this object.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The latch is {@code HELD} exactly while one thread is between {@code latch()} and {@code unlatch()}.
 *   <li>The latch knows nothing of its holder and is not re-entrant.
 *   <li>Words are 0 at first, and are set by the latch's holder alone, or before others know of this object.
 *   <li>The line shares no aligned pair of 64-byte lines with anything else: current x86 processors prefetch lines in
 *       such pairs, and other processors have lines of 128 bytes.
 * </ul>
 *
 * <p>A holder parks on no {@code Waiter}, and the scheduler never switches it out; where it has to spin long itself, a
 * virtual thread sleeps for moments ({@link Backoff}). There is no queue, as with {@link SpinLatch}.
 *
 * <p>Thread-safety: {@link #latch}, {@link #tryLatch}, {@link #unlatch}, {@link #isLatched} and {@link #getAcquire} may
 * be called by any thread, the others by the latch's holder; a release happens before the next acquisition.
 */
public final class LatchedLine {
    /** Words beside the latch: as many as fill the line. */
    public static final int WORDS = 7;

    private static final long LINE_BYTES = 128;
    private static final long FREE = 0;
    private static final long HELD = 1;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    /** Keeps the line alive. */
    private final MemorySegment line;

    /** Where the line begins: its address, or 0 in {@link #line} where the {@link AddressSpace} is not open. */
    private final long base;

    private final LatchWatch watch;

    /**
     * Creates a free latch.
     *
     * @param watch ends waits for a holder that will never give it back
     */
    public LatchedLine(LatchWatch watch) {
        this.watch = watch;
        line = Arena.ofAuto().allocate(LINE_BYTES, LINE_BYTES);
        base = AddressSpace.isOpen() ? line.address() : 0;
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
        return isFree() && hold() == FREE;
    }

    /**
     * Frees the latch.
     *
     * @throws IllegalMonitorStateException if it is free already
     */
    public void unlatch() {
        if (isFree()) {
            throw new IllegalMonitorStateException("latch is not held");
        }
        setReleaseAt(base, FREE);
    }

    /** Returns whether somebody holds the latch; a snapshot, for assertions and validation. */
    public boolean isLatched() {
        return !isFree();
    }

    /** A stale value costs one more turn of the wait or one failed compare-and-set, which decides. */
    private boolean isFree() {
        return getOpaqueAt(base) == FREE;
    }

    /**
     * Reads a word under the latch.
     *
     * @param word 0 to {@link #WORDS} - 1
     */
    public long get(int word) {
        return getOpaqueAt(offset(word));
    }

    /** Sets a word under the latch. */
    public void set(int word, long value) {
        long at = offset(word);
        if (AddressSpace.isOpen()) {
            AddressSpace.setLongOpaque(at, value);
        } else {
            LONG.setOpaque(line, at, value);
        }
    }

    /** Reads a word without the latch; what was written before its {@link #setRelease} is seen then. */
    public long getAcquire(int word) {
        long at = offset(word);
        return AddressSpace.isOpen() ? AddressSpace.getLongAcquire(at) : (long) LONG.getAcquire(line, at);
    }

    /** Sets a word under the latch for those who read it without, after everything that was written before. */
    public void setRelease(int word, long value) {
        setReleaseAt(offset(word), value);
    }

    /** Where the line begins, a multiple of 128 bytes; for tests of what lies where. */
    long address() {
        return line.address();
    }

    private long offset(int word) {
        return base + Long.BYTES * (1L + Objects.checkIndex(word, WORDS));
    }

    // Of the address space where it is open: every word is within the line, and the line lives as long as this object.

    private long hold() {
        return AddressSpace.isOpen()
                ? AddressSpace.compareAndExchangeLongAcquire(base, FREE, HELD)
                : (long) LONG.compareAndExchangeAcquire(line, base, FREE, HELD);
    }

    private long getOpaqueAt(long at) {
        return AddressSpace.isOpen() ? AddressSpace.getLongOpaque(at) : (long) LONG.getOpaque(line, at);
    }

    private void setReleaseAt(long at, long value) {
        if (AddressSpace.isOpen()) {
            AddressSpace.setLongRelease(at, value);
        } else {
            LONG.setRelease(line, at, value);
        }
    }
}
