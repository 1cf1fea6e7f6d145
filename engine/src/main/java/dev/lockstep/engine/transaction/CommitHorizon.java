package dev.lockstep.engine.transaction;

/**
 * What was certain at one moment about transactions that have ended.
 *
 * @param endedBelow every transaction with a lower id has committed, or has taken back all that it had changed
 * @param logEndLsn behind the commit records of all of those; 0 without a log
 * @param nextId the id that was to be given out next
 * @param contextCount how many contexts were asked
 */
record CommitHorizon(long endedBelow, long logEndLsn, long nextId, int contextCount) {
    /** Knows of no transaction. */
    static final CommitHorizon NONE = new CommitHorizon(0, 0, 0, 0);
}
