package dev.lockstep.scheduler;

/**
 * S-threads that waited in a list of their carrier, and their works, which another carrier may do. Each carrier has
 * one, and so lends one list at a time. It goes to the other through a {@link LendingSlot} and comes back through
 * its own carrier's inbox, or by being taken back out of the offer.
 *
 * <p>Invariants: all fields belong to its own carrier, and from a successful offer on to whoever takes the offer, until
 * it is pushed into its carrier's inbox.
 */
class LentList extends InboxNode {
    private static final int MEMBERS_USUALLY = SchedulerOptions.TEAM_LIMIT_DEFAULT;

    final CarrierThread home;
    OperationList list;
    SThread[] members = new SThread[MEMBERS_USUALLY];

    /** Of the members, in the same order until they are done. */
    StagedWork[] works = new StagedWork[MEMBERS_USUALLY];

    int count;

    /** Whether somebody has done them, as far as that went. */
    boolean done;

    /** What was thrown at who did them. */
    Throwable failure;

    LentList(CarrierThread home) {
        this.home = home;
    }

    /** Makes room for that many members; where memory for it is missing, the list is as it was. */
    void reserve(int memberCount) {
        if (members.length < memberCount) {
            SThread[] moreMembers = new SThread[memberCount];
            works = new StagedWork[memberCount];
            members = moreMembers;
        }
    }

    /** By who has it, any thread. */
    void giveBack() {
        home.takeBack(this);
    }
}
