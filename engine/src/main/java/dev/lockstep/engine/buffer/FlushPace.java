package dev.lockstep.engine.buffer;

/**
 * How fast pages are to be written back that need not be on the medium at once.
 *
 * <p>Thread-safety: called by the page writer's thread.
 */
@FunctionalInterface
public interface FlushPace {
    /** As fast as the disk takes them. */
    FlushPace AT_ONCE = writtenShare -> false;

    /**
     * Whether no more pages should be written yet. Asked between two batches, and again every few milliseconds while
     * the answer is yes.
     *
     * @param writtenShare of the pages to be written, those that are, 0 to 1
     */
    boolean isAhead(double writtenShare);
}
