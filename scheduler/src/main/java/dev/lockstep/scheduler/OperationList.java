package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The S-threads of one carrier that are about to run one operation (STEPS, 4.1.1), and what the carrier knows about
 * that operation.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code waiting} is set exactly while {@code members} is not empty, and the list is then linked in the carrier's
 *       {@link WaitingLists}.
 *   <li>A list that is consolidated has a group, and its members are counted there.
 * </ul>
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread. Other threads read the counters only.
 */
final class OperationList {
    private static final VarHandle STRAIGHT_COUNT;

    static {
        try {
            STRAIGHT_COUNT = MethodHandles.lookup().findVarHandle(OperationList.class, "straightCount", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final int operation;

    /** Members of one of its teams. */
    final int teamLimit;

    /** Whether its members are about to begin a transaction. */
    boolean begins;

    /**
     * Of a list of {@link #begins}: how many teams the carrier had formed when its first member came to be the first.
     */
    long firstSinceTeam;

    /** Lists that it may be consolidated with, {@code null} for none. */
    final ListGroup group;

    private final SThreadQueue members = new SThreadQueue();
    final OperationCounters counters = new OperationCounters();
    final Governor governor;

    /** Whether S-threads run this operation without forming teams. */
    boolean straight;

    private long straightCount;

    boolean waiting;
    long waitingSinceTeam;
    OperationList nextWaiting;
    OperationList previousWaiting;

    /** Members that it gave the running team, and who else gave some. */
    int membersInTeam;

    OperationList nextInTeam;

    private boolean consolidated;
    private long teamsAtReview;
    private long membersAtReview;

    OperationList(int operation, int teamLimit, TeamMode mode, ListGroup group, TeamEpochs epochs) {
        this.operation = operation;
        this.teamLimit = teamLimit;
        this.group = group;
        this.governor = new Governor(this, mode, epochs);
        this.straight = mode != TeamMode.ON;
    }

    int size() {
        return members.size();
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    void append(SThread sThread) {
        members.append(sThread);
        countInGroup(1);
    }

    /** Whoever has waited longest, or null. */
    SThread first() {
        return members.first();
    }

    SThread poll() {
        SThread first = members.poll();
        countInGroup(-1);
        return first;
    }

    /** As {@link #poll}, but the first whose part of the data nobody is under way on; null if there is none. */
    SThread pollApart(int[] underWay) {
        SThread first = members.pollApart(underWay);
        if (first != null) {
            countInGroup(-1);
        }
        return first;
    }

    void removeNewest(SThread newest) {
        members.removeNewest(newest);
        countInGroup(-1);
    }

    /** Whether each of the first so many members has offered a work. */
    boolean haveWorks(int count) {
        return members.haveWorks(count);
    }

    private void countInGroup(int sThreads) {
        if (consolidated) {
            group.addWaiting(sThreads);
        }
    }

    /** S-threads that could be in its next team, were there no limit. */
    int sizeTogether() {
        return consolidated ? group.waiting() : members.size();
    }

    boolean isConsolidatedWith(OperationList other) {
        return consolidated && other.consolidated && group == other.group;
    }

    boolean isConsolidated() {
        return consolidated;
    }

    /** Looks at the mean of its parts of teams, after one was formed. */
    void review() {
        long teams = counters.countOpaque(OperationCounters.TEAMS) - teamsAtReview;
        if (teams < ListGroup.TEAMS_PER_REVIEW) {
            return;
        }
        long inTeams = counters.countOpaque(OperationCounters.MEMBERS_IN) - membersAtReview;
        teamsAtReview += teams;
        membersAtReview += inTeams;
        boolean small = inTeams < ListGroup.SMALL_TEAM_BELOW * teams;
        if (small != consolidated) {
            consolidated = small;
            group.addWaiting(small ? members.size() : -members.size());
        }
    }

    /** By the carrier's thread alone, so no addition is lost. */
    void countStraight() {
        STRAIGHT_COUNT.setOpaque(this, straightCount + 1);
    }

    /** Returns a counter; by any thread, to whom it may be some nanoseconds old. */
    long countOpaque(int counter) {
        return counter == OperationCounters.STRAIGHT
                ? (long) STRAIGHT_COUNT.getOpaque(this)
                : counters.countOpaque(counter);
    }
}
