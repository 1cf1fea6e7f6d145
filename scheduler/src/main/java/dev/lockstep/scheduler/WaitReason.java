package dev.lockstep.scheduler;

/** Why an S-thread gives up its carrier in the middle of an operation and so becomes a stray (STEPS, 4.1.3). */
public enum WaitReason {
    /** A database lock was not granted. */
    LOCK,
    /** A page is read, or a frame is not free. */
    IO,
    /** The log is not yet durable up to a point. */
    LOG,
    /** The S-thread gives up its turn of its own accord. */
    YIELD,
    /** Anything else, for example a lock or a sleep of the JDK in application code. */
    OTHER;

    /**
     * Returns whether who waits for this is in the middle of work that others may in turn wait for, and so goes on
     * before those who are at its beginning.
     */
    public boolean holdsUpOthers() {
        return this == LOCK || this == IO;
    }
}
