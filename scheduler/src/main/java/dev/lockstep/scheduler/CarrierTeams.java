package dev.lockstep.scheduler;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The operation lists of a carrier and its running team: who waits for which operation, which list gives the next team,
 * who is in it (STEPS, 4.1.1). Decides and counts; who runs when is the carrier's.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A list is passed over by at most {@link Scheduler#TEAMS_PASSED_OVER_MAX} teams plus one for each list that
 *       waited longer.
 *   <li>{@code underWay} of a part is how many of its S-threads are marked as under way, of {@link #PARTS} parts in a
 *       row; none are where the policy has no use for it.
 *   <li>A list once made stays at its place in {@code lists} and {@code publishedLists}.
 * </ul>
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread, but for {@link #publishedListOrNull}.
 */
final class CarrierTeams {
    /** One in this many teams of one member is timed, and stands for all: reading the clock twice would double them. */
    static final int LONE_TEAMS_PER_SAMPLE = 16;

    /** As many parts of the data as {@link TurnQueue} tells apart. */
    private static final int PARTS = TurnQueue.PLACES;

    private final Scheduler scheduler;
    private final int carrier;
    private final TeamMode teamMode;
    private final boolean switchPointsOn;
    private final boolean consolidates;
    private final TeamPolicy policy;
    private final SchedulerEvents events;

    /** Plain reads by the carrier; published to readers of statistics by {@link #publishedLists}. */
    private final OperationList[] lists = new OperationList[Scheduler.OPERATIONS_MAX];

    private final AtomicReferenceArray<OperationList> publishedLists =
            new AtomicReferenceArray<>(Scheduler.OPERATIONS_MAX);

    /** By kind of operation; of use to new lists only. */
    private final Map<String, ListGroup> groups = new HashMap<>();

    private final int[] underWay = new int[PARTS];

    private final WaitingLists waiting = new WaitingLists(lists);
    private final Team team = new Team();
    private final TeamEpochs epochs = new TeamEpochs(InstalledTime::threadCpuNanos);
    private int lastWanted;

    /** As the scheduler's user said last, and this carrier has followed. */
    private boolean allowed = true;

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
        // The governor judges each list by its own teams.
        this.consolidates = options.consolidationOn() && teamMode == TeamMode.ON;
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

    TeamEpochs epochs() {
        return epochs;
    }

    long teamsFormed() {
        return teamsFormed;
    }

    /** A list for the readers of its counters; by any thread. */
    OperationList publishedListOrNull(int operation) {
        return publishedLists.getAcquire(operation);
    }

    /** Makes the list of an operation that nobody has asked for; by who has reserved stack. */
    OperationList newList(int operation) {
        OperationList list =
                new OperationList(operation, scheduler.teamLimit(operation), teamMode, groupOrNull(operation), epochs);
        list.begins = scheduler.isBegin(operation);
        if (!allowed) {
            list.governor.suspend();
        }
        publishedLists.setRelease(operation, list);
        lists[operation] = list;
        return list;
    }

    /** Does what the scheduler's user wants of teams; by the carrier itself, no S-thread being mounted. */
    void follow(boolean teamsAllowed) {
        if (teamsAllowed == allowed) {
            return;
        }
        allowed = teamsAllowed;
        for (OperationList list : lists) {
            if (list != null && allowed) {
                list.governor.resume();
            } else if (list != null) {
                list.governor.suspend();
            }
        }
        if (allowed) {
            epochs.resume(InstalledTime.nanoTime());
        } else {
            epochs.suspend(InstalledTime.nanoTime());
        }
    }

    private ListGroup groupOrNull(int operation) {
        String kind = consolidates && operation != OperationRegistry.SHARED && !scheduler.isBegin(operation)
                ? ListGroup.kindOrNull(scheduler.operationName(operation))
                : null;
        return kind == null ? null : groups.computeIfAbsent(kind, name -> new ListGroup());
    }

    void join(SThread sThread, OperationList list) {
        sThread.state = SThread.State.LISTED;
        if (list.begins) {
            transactionEnded(sThread);
            list.firstSinceTeam = list.isEmpty() ? teamsFormed : list.firstSinceTeam;
        }
        list.append(sThread);
        listed++;
        if (!list.waiting) {
            waiting.append(list, teamsFormed);
        }
        lastWanted = list.operation;
    }

    /**
     * Forms the next team on the stack of a mounted S-thread that has just joined a list. A policy that throws does so
     * into the operation that asked, as does what has no memory left for the team; who runs must not stay in a list
     * then, nor wait for its turn.
     */
    void formOrWithdraw(SThread sThread, OperationList list) {
        boolean formed = false;
        try {
            form(chooseList(), 0);
            formed = true;
        } finally {
            if (!formed && !sThread.member) {
                withdraw(sThread, list);
            }
            if (sThread.member) {
                sThread.state = SThread.State.RUNNING;
                team.lead(sThread);
            }
        }
    }

    void withdraw(SThread sThread, OperationList list) {
        list.removeNewest(sThread);
        listed--;
        if (list.isEmpty()) {
            waiting.remove(list);
        }
        sThread.state = SThread.State.RUNNING;
    }

    /** Whether a list was passed over for so many teams that it is next, whatever the policy. */
    boolean isOverdue() {
        return !waiting.isEmpty() && overdueOrNull() != null;
    }

    private OperationList overdueOrNull() {
        OperationList oldest = waiting.oldest();
        if (!policy.beginsApart()) {
            return isPassedOver(oldest, Scheduler.TEAMS_PASSED_OVER_MAX) ? oldest : null;
        }
        OperationList underWayLongest = waiting.oldestUnderWay();
        if (underWayLongest != null && isPassedOver(underWayLongest, Scheduler.TEAMS_PASSED_OVER_MAX)) {
            return underWayLongest;
        }
        return isPassedOver(oldest, Scheduler.BEGINS_PASSED_OVER_MAX) ? oldest : null;
    }

    private boolean isPassedOver(OperationList list, int teamsMax) {
        return teamsFormed - list.waitingSinceTeam >= teamsMax;
    }

    OperationList chooseList() {
        OperationList oldest = waiting.oldest();
        OperationList overdue = overdueOrNull();
        if (overdue != null) {
            return overdue;
        }
        int operation = policy.nextTeam(lastWanted, waiting);
        if (waiting.waitingCount(operation) == 0) {
            return oldest;
        }
        OperationList list = lists[operation];
        return list.waiting ? list : waiting.oldestWith(list);
    }

    /**
     * Makes a list's members the team, and those of the lists that it is consolidated with as far as there is room.
     *
     * @param readyBeside S-threads that could run and wait in no list
     */
    void form(OperationList list, int readyBeside) {
        int ready = listed + readyBeside;
        start(list);
        take(list, list.teamLimit, ready);
        waiting.remove(list);
        if (!list.isEmpty()) {
            waiting.append(list, teamsFormed);
        }
        int operations = 1;
        if (list.isConsolidated() && list.sizeTogether() > list.size()) {
            operations += takeBeside(list, ready);
        }
        started(operations);
    }

    /**
     * Makes S-threads the team that were taken out of a list.
     *
     * @param readyBeside S-threads that could run and wait in no list
     */
    void formOf(OperationList list, SThread[] members, int count, int readyBeside) {
        start(list);
        for (int i = 0; i < count; i++) {
            addToTeam(members[i]);
        }
        countIn(list, count, listed + count + readyBeside);
        started(1);
    }

    private void start(OperationList list) {
        team.start(list);
        teamsFormed++;
        list.nextInTeam = null;
    }

    private void started(int operations) {
        OperationList list = team.list();
        membersAtStart = team.size();
        straysOfTeam = 0;
        if (consolidates) {
            countTogether(list);
        }
        timeWeight = 1;
        if (membersAtStart == 1) {
            timeWeight = --loneTeams <= 0 ? LONE_TEAMS_PER_SAMPLE : 0;
            loneTeams = loneTeams <= 0 ? LONE_TEAMS_PER_SAMPLE : loneTeams;
        }
        teamStartNanos = timeWeight == 0 ? 0 : InstalledTime.nanoTime();
        events.teamFormed(scheduler, carrier, list.operation, membersAtStart, operations);
    }

    private void take(OperationList list, int membersMax, int ready) {
        int members = 0;
        if (list.begins && policy.beginsApart()) {
            members = takeApart(list, membersMax);
        } else {
            members = Math.min(list.size(), membersMax);
            for (int i = 0; i < members; i++) {
                addToTeam(list.poll());
            }
        }
        listed -= members;
        countIn(list, members, ready);
    }

    /**
     * Takes the first that conflicts on each part on which nobody is under way; before all of them the first, where
     * there is none or the first was passed over too often, as it would be for ever beside a transaction that stays
     * open.
     */
    private int takeApart(OperationList list, int membersMax) {
        int members = 0;
        SThread first = list.first();
        boolean passedOver = teamsFormed - list.firstSinceTeam >= Scheduler.BEGINS_PASSED_OVER_MAX;
        SThread next = passedOver ? null : list.pollApart(underWay);
        next = next == null ? list.poll() : next;
        while (next != null) {
            if (next.conflictPart != Scheduler.NO_PART) {
                next.underWayPart = next.conflictPart % PARTS;
                underWay[next.underWayPart]++;
            }
            addToTeam(next);
            members++;
            next = members < membersMax ? list.pollApart(underWay) : null;
        }
        noteFirst(list, first);
        return members;
    }

    @SuppressWarnings("ReferenceEquality") // that very S-thread
    private void noteFirst(OperationList list, SThread firstBefore) {
        if (list.first() != firstBefore) {
            list.firstSinceTeam = teamsFormed;
        }
    }

    void transactionEnded(SThread sThread) {
        if (sThread.underWayPart != Scheduler.NO_PART) {
            underWay[sThread.underWayPart]--;
            sThread.underWayPart = Scheduler.NO_PART;
        }
    }

    /** Takes its first members out of a list. */
    void takeOut(OperationList list, int count, SThread[] into) {
        for (int i = 0; i < count; i++) {
            into[i] = list.poll();
        }
        listed -= count;
        if (list.isEmpty()) {
            waiting.remove(list);
        }
    }

    private void addToTeam(SThread sThread) {
        sThread.state = SThread.State.TEAMED;
        sThread.operating = true;
        sThread.turns = switchPointsOn;
        team.add(sThread);
    }

    private static void countIn(OperationList list, int members, int ready) {
        list.membersInTeam = members;
        list.counters.add(OperationCounters.TEAMS, 1);
        list.counters.add(OperationCounters.MEMBERS_IN, members);
        list.counters.add(OperationCounters.READY, ready);
    }

    /**
     * Fills the team up from the lists that its first is consolidated with, those first that have waited longest. A
     * list that keeps members keeps its place among those that wait. Returns how many lists have given members.
     */
    private int takeBeside(OperationList first, int ready) {
        int operations = 0;
        int limit = first.teamLimit;
        OperationList list = waiting.oldest();
        while (list != null && team.size() < limit) {
            OperationList after = list.nextWaiting;
            int limitWithList = Math.min(limit, list.teamLimit);
            if (list != first && list.isConsolidatedWith(first) && team.size() < limitWithList) {
                limit = limitWithList;
                take(list, limit - team.size(), ready);
                if (list.isEmpty()) {
                    waiting.remove(list);
                }
                list.nextInTeam = first.nextInTeam;
                first.nextInTeam = list;
                operations++;
            }
            list = after;
        }
        return operations;
    }

    private void countTogether(OperationList first) {
        boolean together = first.nextInTeam != null;
        for (OperationList list = first; list != null; list = list.nextInTeam) {
            if (together) {
                list.counters.add(OperationCounters.TEAMS_CONSOLIDATED, 1);
                list.counters.add(OperationCounters.MEMBERS_BESIDE, membersAtStart - list.membersInTeam);
            }
            if (list.group != null) {
                list.review();
            }
        }
    }

    /** Takes an S-thread out of the running team, if it is in it; as a stray if a reason is given. */
    void leave(SThread sThread, WaitReason strayReason) {
        if (!sThread.member) {
            return;
        }
        sThread.turns = false;
        sThread.turnsPutOff = 0;
        team.remove(sThread);
        if (strayReason != null && sThread.operating) {
            OperationList list = lists[sThread.operation];
            straysOfTeam++;
            list.counters.add(OperationCounters.strays(strayReason), 1);
            events.strayed(scheduler, carrier, list.operation, sThread.name(), strayReason);
        }
        if (team.size() == 0) {
            long nanos = timeWeight == 0 ? 0 : (InstalledTime.nanoTime() - teamStartNanos) * timeWeight;
            for (OperationList list = team.list(); list != null; list = list.nextInTeam) {
                list.counters.add(OperationCounters.TEAM_NANOS, nanos * list.membersInTeam / membersAtStart);
            }
            team.list().governor.teamEnded(membersAtStart, straysOfTeam, nanos);
        }
    }

    /** What the carrier has done for others since then is none of the team's time. */
    void leaveOutSince(long nanos) {
        teamStartNanos += InstalledTime.nanoTime() - nanos;
    }

    /** A turn that was not taken, or a team that was not joined, at the operation begun last. */
    void countSkipped(SThread sThread) {
        if (sThread.operation >= 0) {
            OperationList list = lists[sThread.operation];
            list.counters.add(OperationCounters.SWITCHES_SKIPPED, 1);
            events.switchSkipped(scheduler, carrier, list.operation, sThread.name(), sThread.latchesHeld());
        }
    }
}
