package dev.lockstep.engine;

/** When a commit is answered, which is what a crash of the process or the machine may cost. Strongest first. */
public enum Durability {
    /**
     * Answered when the commit is on disk, and with it all that the transaction read, whatever its isolation. A crash
     * loses nothing that was answered. Commits that come together share one force of the log.
     */
    SYNC,
    /**
     * Answered at once; a force of the log begins 50 ms after the oldest commit that is not on disk. A crash loses at
     * most the commits of 100 ms, the last ones in commit order, and never a part of a transaction. On a disk that
     * takes longer than the other 50 ms, commits are answered when they are on disk until it has caught up. This
     * assumes that the system runs the log's thread when it is due: for as long as that thread has no processor,
     * commits are answered all the same, and a crash takes them too.
     */
    ASYNC,
    /**
     * No log is written. Transactions still roll back, and {@code close()} saves everything; but after any other end
     * the database cannot be opened, except to start it empty ({@link DatabaseOptions#startEmptyAfterUncleanClose()}).
     * As the durability of one transaction of a database that has a log: answered at once, and on disk with the next
     * commit that promises more, or with the next checkpoint.
     */
    NONE;

    /** Whether a commit of this durability promises more than one of the other. */
    boolean isStrongerThan(Durability other) {
        return compareTo(other) < 0;
    }
}
