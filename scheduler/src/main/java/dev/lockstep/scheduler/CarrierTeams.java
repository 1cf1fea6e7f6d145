package dev.lockstep.scheduler;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The operation lists of a carrier and its running team: who waits for which operation, which list gives the next team,
 * who is in it (STEPS, 4.1.1). Decides and counts; who runs when is the carrier's.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A list is passed over by at most {@link Scheduler#TEAMS_PASSED_OVER_MAX} teams plus one for each list that
 *       waited longer.
 *   <li>A list once made stays at its place in {@code lists} and {@code publishedLists}.
 * </ul>
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread, but for {@link #publishedListOrNull}.
 */
final class CarrierTeams {
    /** One in this many teams of one member is timed, and stands for all: reading the clock twice would double them. */
    static final int LONE_TEAMS_PER_SAMPLE = 16;

    private final Scheduler scheduler;
    private final int carrier;
    private final TeamMode teamMode;
    private final boolean switchPointsOn;
    private final TeamPolicy policy;
    private final SchedulerEvents events;

    /** Plain reads by the carrier; published to readers of statistics by {@link #publishedLists}. */
    private final OperationList[] lists = new OperationList[Scheduler.OPERATIONS_MAX];

    private final AtomicReferenceArray<OperationList> publishedLists =
            new AtomicReferenceArray<>(Scheduler.OPERATIONS_MAX);

    private final WaitingLists waiting = new WaitingLists(lists);
    private final Team team = new Team();
    private int lastWanted;

    /** S-threads in all lists. */
    private int listed;

    private long teamsFormed;
    private int membersAtStart;
    private int straysOfTeam;
    private long teamStartNanos;
    private int timeWeight;
    private int loneTeams;

    CarrierTeams(Scheduler scheduler, int carrier, SchedulerOptions options, SchedulerEvents events) {
        this.scheduler = scheduler;
        this.carrier = carrier;
        this.teamMode = options.teamMode();
        this.switchPointsOn = options.switchPointsOn();
        this.policy = options.policy();
        this.events = events;
    }

    /** By operation, {@code null} where nobody has asked for one. */
    OperationList[] lists() {
        return lists;
    }

    WaitingLists waiting() {
        return waiting;
    }

    Team team() {
        return team;
    }

    long teamsFormed() {
        return teamsFormed;
    }

    /** A list for the readers of its counters; by any thread. */
    OperationList publishedListOrNull(int operation) {
        return publishedLists.getAcquire(operation);
    }

    OperationList listOrNew(int operation) {
        OperationList list = lists[operation];
        if (list == null) {
            list = new OperationList(operation, scheduler.teamLimit(operation), teamMode);
            publishedLists.setRelease(operation, list);
            lists[operation] = list;
        }
        return list;
    }

    void join(SThread sThread, OperationList list) {
        sThread.state = SThread.State.LISTED;
        list.members.append(sThread);
        listed++;
        if (!list.waiting) {
            waiting.append(list, teamsFormed);
        }
        lastWanted = list.operation;
    }

    /** A policy that throws does so into the operation that asked, which must not stay in a list then. */
    OperationList chooseListOrWithdraw(SThread sThread, OperationList list) {
        boolean chosen = false;
        try {
            OperationList result = chooseList();
            chosen = true;
            return result;
        } finally {
            if (!chosen) {
                withdraw(sThread, list);
            }
        }
    }

    void withdraw(SThread sThread, OperationList list) {
        list.members.removeNewest(sThread);
        listed--;
        if (list.members.isEmpty()) {
            waiting.remove(list);
        }
        sThread.state = SThread.State.RUNNING;
    }

    OperationList chooseList() {
        OperationList oldest = waiting.oldest();
        if (teamsFormed - oldest.waitingSinceTeam >= Scheduler.TEAMS_PASSED_OVER_MAX) {
            return oldest;
        }
        int operation = policy.nextTeam(lastWanted, waiting);
        return waiting.waitingCount(operation) == 0 ? oldest : lists[operation];
    }

    /**
     * Makes a list's members the team.
     *
     * @param readyBeside S-threads that could run and wait in no list
     */
    void form(OperationList list, int readyBeside) {
        team.start(list);
        int members = Math.min(list.members.size(), list.teamLimit);
        for (int i = 0; i < members; i++) {
            SThread sThread = list.members.poll();
            sThread.state = SThread.State.TEAMED;
            sThread.operating = true;
            sThread.turns = switchPointsOn;
            team.add(sThread);
        }
        teamsFormed++;
        waiting.remove(list);
        if (!list.members.isEmpty()) {
            waiting.append(list, teamsFormed);
        }
        membersAtStart = members;
        straysOfTeam = 0;
        list.counters.add(OperationCounters.TEAMS, 1);
        list.counters.add(OperationCounters.MEMBERS_IN, members);
        list.counters.add(OperationCounters.READY, listed + readyBeside);
        listed -= members;
        timeWeight = 1;
        if (members == 1) {
            timeWeight = --loneTeams <= 0 ? LONE_TEAMS_PER_SAMPLE : 0;
            loneTeams = loneTeams <= 0 ? LONE_TEAMS_PER_SAMPLE : loneTeams;
        }
        teamStartNanos = timeWeight == 0 ? 0 : InstalledTime.nanoTime();
        events.teamFormed(scheduler, carrier, list.operation, members);
    }

    /** Takes an S-thread out of the running team, if it is in it; as a stray if a reason is given. */
    void leave(SThread sThread, WaitReason strayReason) {
        if (!sThread.member) {
            return;
        }
        sThread.turns = false;
        team.remove(sThread);
        OperationList list = team.list();
        if (strayReason != null && sThread.operating) {
            straysOfTeam++;
            list.counters.add(OperationCounters.strays(strayReason), 1);
            events.strayed(scheduler, carrier, list.operation, sThread.name(), strayReason);
        }
        if (team.size() == 0) {
            long nanos = timeWeight == 0 ? 0 : (InstalledTime.nanoTime() - teamStartNanos) * timeWeight;
            list.counters.add(OperationCounters.TEAM_NANOS, nanos);
            list.governor.teamEnded(membersAtStart, straysOfTeam, nanos);
        }
    }
}
