package dev.lockstep.scheduler;

/**
 * Decides which operation list becomes the next team (STEPS, 4.1.1, footnote 1). A carrier overrules it for a list that
 * {@link Scheduler#TEAMS_PASSED_OVER_MAX} teams were preferred to, so no policy can starve anybody.
 *
 * <p>It is called with the carrier's state in between two teams, so it must not call S-threads, and must be quick. What
 * it throws reaches the S-thread whose operation asked, or, out of the carrier's loop, ends the carrier.
 *
 * <p>Thread-safety: one policy serves all carriers of a scheduler and is called by all of them.
 */
@FunctionalInterface
public interface TeamPolicy {
    /** The lists with members on the carrier that asks. Valid during the call only. */
    interface WaitingOperations {
        /**
         * Returns how many S-threads wait in the list of an operation and in those consolidated with it ({@link
         * SchedulerOptions#consolidationOn}), 0 for an unknown operation.
         */
        int waitingCount(int operation);

        /** Returns the operation whose list has waited longest; there is at least one. */
        int longestWaiting();

        /**
         * Returns the operation with the largest {@link #waitingCount}; of several, the one that has waited longest.
         * Looks at every list that has members.
         */
        int largest();
    }

    /**
     * Chooses the next team's operation.
     *
     * @param lastWanted the operation whose list was joined last: by the last member of the team before, or by the
     *     last stray
     * @param waiting the lists to choose from
     * @return an operation with waiting S-threads; for any other, the list that has waited longest is taken
     */
    int nextTeam(int lastWanted, WaitingOperations waiting);

    /** The paper's policy: continue with what the last member or the last stray wants. */
    static TeamPolicy lastWanted() {
        return (lastWanted, waiting) -> lastWanted;
    }

    /** The list that has waited longest. */
    static TeamPolicy longestWaiting() {
        return (lastWanted, waiting) -> waiting.longestWaiting();
    }

    /** The list with the most members: the instructions of its operation are fetched for as many as can be. */
    static TeamPolicy largest() {
        return (lastWanted, waiting) -> waiting.largest();
    }
}
