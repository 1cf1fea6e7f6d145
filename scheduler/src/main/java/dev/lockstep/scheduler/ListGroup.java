package dev.lockstep.scheduler;

/**
 * The lists of one carrier for operations of one kind on different indexes, such as all its fetches. Those whose teams
 * stay small are consolidated: whichever of them gives the next team, the others fill it up, so that the instructions
 * that fetches of all indexes share are fetched for more members (STEPS, 4.1.2). They give up that all members run
 * quite the same code.
 *
 * <p>An operation's kind is the first word of its name, if it has more than one.
 *
 * <p>Invariants: {@code waiting} is the number of S-threads in those lists of the group that are consolidated.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class ListGroup {
    /**
     * A list is consolidated while its part of a team has fewer members on average. Of the instruction misses that a
     * team can save, n members save 1 - 1/n (STEPS, 3.4.1): four save three quarters, and beyond that members from
     * another index may cost more by their own code than they save.
     */
    static final int SMALL_TEAM_BELOW = 4;

    /**
     * Teams that a list has members in between two looks at their mean: as many operations as a few hundred, so that a
     * list follows its load within milliseconds, and chance does not send it to and fro.
     */
    static final int TEAMS_PER_REVIEW = 64;

    private int waiting;

    ListGroup() {}

    /** Returns the kind of an operation, or {@code null} if its name has none. */
    static String kindOrNull(String operationName) {
        int end = operationName.indexOf(' ');
        return end <= 0 ? null : operationName.substring(0, end);
    }

    int waiting() {
        return waiting;
    }

    /** To be called by the group's lists. */
    void addWaiting(int sThreads) {
        waiting += sThreads;
    }
}
