package dev.lockstep.engine.lock;

/**
 * Requests that stand in a lock table: filled by {@link LockManager#list}, then read. Of one lock they stand side by
 * side, holders first. Used by one thread at a time.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Line {@code i} of {@code [0, count)} is one request; the arrays were made before a latch was taken, and do not
 *       grow.
 * </ul>
 */
public final class LockListing {
    private final long[] names;
    private final int[] owners;
    private final int[] modes;
    private final boolean[] waiting;
    private int count;
    private boolean complete = true;

    /** @param linesMax how many requests there is room for */
    public LockListing(int linesMax) {
        names = new long[linesMax];
        owners = new int[linesMax];
        modes = new int[linesMax];
        waiting = new boolean[linesMax];
    }

    /** Takes a request, or notes that there is no room. */
    void add(long name, int owner, int mode, boolean isWaiting) {
        if (count == names.length) {
            complete = false;
            return;
        }
        names[count] = name;
        owners[count] = owner;
        modes[count] = mode;
        waiting[count++] = isWaiting;
    }

    /** Requests. */
    public int count() {
        return count;
    }

    /** Whether there was room for all. */
    public boolean isComplete() {
        return complete;
    }

    /** What is locked; see {@link LockName}. */
    public long name(int line) {
        return names[line];
    }

    /** Who asks; see {@link LockOwner#index()}. */
    public int owner(int line) {
        return owners[line];
    }

    /** The mode that is held, or waited for; see {@link LockMode}. */
    public int mode(int line) {
        return modes[line];
    }

    /** Whether it waits. */
    public boolean isWaiting(int line) {
        return waiting[line];
    }
}
