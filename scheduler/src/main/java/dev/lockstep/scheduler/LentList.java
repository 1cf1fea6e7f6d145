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
    final CarrierThread home;
    OperationList list;
    final SThread[] members;

    /** Of the members, in the same order until they are done. */
    final StagedWork[] works;

    int count;

    /** Whether somebody has done them, as far as that went. */
    boolean done;

    /** What was thrown at who did them. */
    Throwable failure;

    /**
     * A list that is empty.
     *
     * @param membersMax how many there may be: room is made now, since the carrier that lends has nobody to tell that
     *     there is no memory for it
     */
    LentList(CarrierThread home, int membersMax) {
        this.home = home;
        members = new SThread[membersMax];
        works = new StagedWork[membersMax];
    }

    /** By who has it, any thread. */
    void giveBack() {
        home.takeBack(this);
    }
}
