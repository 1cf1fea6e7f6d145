package dev.lockstep.engine.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Says when commits that are answered before they are on disk (durability {@code async}) have to wait all the same:
 * while the oldest one that is not on disk is older than what a crash may take. A disk that forces in time never closes
 * the gate.
 *
 * <p>Invariants:
 * <ul>
 *   <li>While the writer writes, forces or deletes, {@code closesAtNanos} is the moment when the oldest byte that is
 *       not on disk becomes too old, or an earlier one.
 *   <li>A gate that has closed opens again only when nothing, or nothing too old, is left to force.
 *   <li>At all other times it is {@link #OPEN}, so that a commit asks for no time.
 * </ul>
 *
 * <p>Thread-safety: {@link #isClosed} may be called by any thread, the rest belongs to the writer thread. A value that
 * is read late lets a commit pass as if it had come a moment earlier.
 */
final class LogAnswerGate {
    private static final long OPEN = Long.MIN_VALUE;

    private static final VarHandle CLOSES_AT_NANOS;

    static {
        try {
            CLOSES_AT_NANOS = MethodHandles.lookup().findVarHandle(LogAnswerGate.class, "closesAtNanos", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LogClock clock;
    private final long lossNanosMax;

    @SuppressWarnings("unused")
    private long closesAtNanos = OPEN;

    /**
     * Makes an open gate.
     *
     * @param lossNanosMax how old the oldest commit that a crash may take becomes
     */
    LogAnswerGate(LogClock clock, long lossNanosMax) {
        this.clock = clock;
        this.lossNanosMax = lossNanosMax;
    }

    /** The disk is asked for something that may take long, or what is not yet forced has become less. */
    void diskBusy(long unforcedSinceNanos) {
        long nanos = unforcedSinceNanos + lossNanosMax;
        CLOSES_AT_NANOS.setRelease(this, nanos == OPEN ? nanos + 1 : nanos);
    }

    /**
     * The disk has done all it was asked for. A closed gate stays so while something is left: it is forced next.
     *
     * @param allForced whether everything appended before this call is on disk
     */
    void diskIdle(boolean allForced) {
        if (allForced || !isClosed()) {
            CLOSES_AT_NANOS.setRelease(this, OPEN);
        }
    }

    /** Whether a commit has to wait until it is on disk. */
    boolean isClosed() {
        long nanos = (long) CLOSES_AT_NANOS.getAcquire(this);
        return nanos != OPEN && clock.nanoTime() - nanos >= 0;
    }
}
