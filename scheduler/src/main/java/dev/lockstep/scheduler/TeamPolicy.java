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

        /**
         * Returns as {@link #largest} among the operations that no transaction begins with, so that who waits is in the
         * middle of one; a negative number if nobody is. Looks at every list that has members.
         */
        int largestUnderWay();
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

    /**
     * Whether transactions that begin as a team conflict on different parts of the data ({@link SThread#conflictsOn}),
     * on which no transaction is under way on the carrier, as far as there are such.
     */
    default boolean beginsApart() {
        return false;
    }

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

    /**
     * Transactions begin in waves: nobody begins one while others wait in the middle of theirs. Who begins together is
     * of one kind ({@link Scheduler#registerBegin}), so executes the same operations, and of different parts of the
     * data ({@link #beginsApart}), so waits for no lock of the others; the team stays together from one operation to
     * the next. Under way, the list with the most members is next; else the kind that most wait to begin.
     */
    static TeamPolicy waves() {
        return new TeamPolicy() {
            @Override
            public int nextTeam(int lastWanted, WaitingOperations waiting) {
                int underWay = waiting.largestUnderWay();
                return underWay >= 0 ? underWay : waiting.largest();
            }

            @Override
            public boolean beginsApart() {
                return true;
            }
        };
    }
}
