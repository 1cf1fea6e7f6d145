package dev.lockstep.scheduler;

/**
 * What an S-thread is about to do in an operation, in such a form that another member of its team can do it: see
 * {@link SThread#beginOperation(int, StagedWork)}.
 */
public interface StagedWork {
    /**
     * Does the works of several members, a stage of each in turn, until each is done or would have to wait. Called for
     * the work of the member whose turn is first, on its stack, while no other member runs; in no latch.
     *
     * <p>The works take note themselves of how far they have come, and of what went wrong in one of them: each member
     * is then made to go on, in turns, and does on its own stack what is left of its own. It may so have to do all of
     * it, and what is thrown here is thrown to the leader alone. Not to be called in here: whatever begins or ends
     * operations or gives up the turn of an S-thread. Where {@link InstalledProbe#isPresent} the works tell it whose
     * stage comes next ({@link InstalledProbe#doesWorkOf}).
     *
     * <p>With {@link SchedulerOptions#lendingOn} it may also be called on another carrier, by an S-thread that is none
     * of the members, while all of them wait; what is thrown is thrown to the first member then.
     *
     * @param team the works, this one first; may be brought into another order, and does not outlast the call
     * @param count how many of them there are, 2 or more
     */
    void runTogether(StagedWork[] team, int count);
}
