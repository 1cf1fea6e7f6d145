package dev.lockstep.scheduler;

import java.util.Arrays;

/**
 * Hands lists of staged operations that wait on this carrier to carriers that have nothing to do. Only works go: the
 * S-threads stay, and go on here, as a team, when their works were done.
 *
 * <p>Where a list becomes the team and another one goes on waiting, one other carrier is looked at. If that is idle,
 * its {@link IdleHelper} is offered the list that has waited longest, or as much of it as makes a team. What it does
 * not take in time is taken back.
 *
 * <p>Invariants: {@code borrower} is set while the list is with another carrier, {@code returned} from then until it
 * has become a team; its members are {@code LENT} as long as either holds, and in no list or queue.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class Lending {
    /** Of one alone a leader does nothing at all: its own S-thread does its work as well. */
    static final int MEMBERS_MIN = 2;

    private final Scheduler scheduler;
    private final boolean on;
    private final CarrierTeams teams;
    private final WaitingLists waiting;
    private final LentList lent;
    private int neighbour;
    private IdleHelper borrower;
    private long lentAtTeam;

    /** Of the list when it was lent: its place among those that wait. */
    private long waitingSinceTeam;

    private boolean returned;

    Lending(Scheduler scheduler, CarrierThread home, int carrier, SchedulerOptions options, CarrierTeams teams) {
        this.scheduler = scheduler;
        this.on = isOn(options);
        this.teams = teams;
        this.waiting = teams.waiting();
        this.lent = new LentList(home, on ? options.teamLimit() : 0);
        this.neighbour = carrier;
    }

    /** Whether the carriers of a scheduler help each other. */
    static boolean isOn(SchedulerOptions options) {
        return options.lendingOn()
                && options.teamExecution() == TeamExecution.STAGED
                && options.teamMode() == TeamMode.ON
                && options.carriers() > 1;
    }

    /** By who has just formed a team. */
    void consider() {
        if (!on || borrower != null || returned || waiting.isEmpty()) {
            return;
        }
        IdleHelper helper = nextNeighbour();
        if (helper == null) {
            return;
        }
        OperationList list = waiting.oldest();
        while (list != null && !isLendable(list)) {
            list = list.nextWaiting;
        }
        if (list != null) {
            lend(list, helper);
        }
    }

    /** Each carrier in turn; {@code null} if it is busy, or is this one. */
    private IdleHelper nextNeighbour() {
        neighbour = (neighbour + 1) % scheduler.carrierCount();
        CarrierThread carrier = scheduler.carrier(neighbour);
        return carrier != lent.home
                        && carrier.isIdle()
                        && carrier.helper().slot().isFree()
                ? carrier.helper()
                : null;
    }

    private static boolean isLendable(OperationList list) {
        int members = Math.min(list.size(), list.teamLimit);
        return members >= MEMBERS_MIN && list.haveWorks(members);
    }

    private void lend(OperationList list, IdleHelper helper) {
        int count = Math.min(list.size(), list.teamLimit);
        waitingSinceTeam = list.waitingSinceTeam;
        teams.takeOut(list, count, lent.members);
        for (int i = 0; i < count; i++) {
            SThread member = lent.members[i];
            member.state = SThread.State.LENT;
            lent.works[i] = member.offered;
            member.offered = null;
        }
        lent.list = list;
        lent.count = count;
        lent.done = false;
        lent.failure = null;
        if (helper.slot().offer(lent)) {
            borrower = helper;
            lentAtTeam = teams.teamsFormed();
            helper.signal();
        } else {
            // Another carrier was faster.
            returned = true;
        }
    }

    /** The list has come back. */
    void takeBack() {
        borrower = null;
        returned = true;
    }

    boolean isReturned() {
        return returned;
    }

    /** Whether the loop has to see to the list before there are more teams. */
    boolean isDue() {
        return returned || (borrower != null && teams.teamsFormed() - lentAtTeam >= Scheduler.TEAMS_PASSED_OVER_MAX);
    }

    /** Takes the list back if nobody is at work on it; returns whether it is here now. */
    boolean reclaim() {
        if (borrower != null && borrower.slot().takeBack(lent)) {
            takeBack();
        }
        return returned;
    }

    /** Whether the list that is here again comes first: none of those that have waited longer is overdue. */
    boolean isNext() {
        return !teams.isOverdue() || waitingSinceTeam <= waiting.oldest().waitingSinceTeam;
    }

    /** Makes the members the team that they would have been; those whose works are done have only to go on. */
    void form(int readyBeside) {
        returned = false;
        SThread first = lent.members[0];
        for (int i = 0; i < lent.count && !lent.done; i++) {
            lent.members[i].offered = lent.works[i];
        }
        first.failureOfWork = lent.failure;
        if (lent.done) {
            lent.list.counters.add(OperationCounters.LENT, lent.count);
        }
        teams.formOf(lent.list, lent.members, lent.count, readyBeside);
        Arrays.fill(lent.members, 0, lent.count, null);
        Arrays.fill(lent.works, 0, lent.count, null);
        lent.failure = null;
    }
}
