package dev.lockstep.engine;

/** When a commit is answered, which is what a crash of the process or the machine may cost. Strongest first. */
public enum Durability {
    /**
     * Answered when the commit is on disk, and with it all that the transaction read, whatever its isolation. A crash
     * loses nothing that was answered. Commits that come together share one force of the log.
     */
    SYNC,
    /**
     * Answered at once; the log is forced at least every 100 ms. A crash loses at most the commits of that time, the
     * last ones in commit order, and never a part of a transaction.
     */
    ASYNC,
    /**
     * No log is written. Transactions still roll back, and {@code close()} saves everything; but after any other end
     * the database cannot be opened, except to start it empty ({@link DatabaseOptions#startEmptyAfterUncleanClose()}).
     */
    NONE;

    /** Whether a commit of this durability promises more than one of the other. */
    boolean isStrongerThan(Durability other) {
        return compareTo(other) < 0;
    }
}
