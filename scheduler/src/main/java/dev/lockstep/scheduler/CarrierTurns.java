package dev.lockstep.scheduler;

/**
 * How long an S-thread keeps its carrier while it runs without a team: turns of many operations, which end where that
 * holds up nobody, and of which some operations are timed.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class CarrierTurns {
    /**
     * Mean number of operations that run straight between two that are timed. A sample reads the clock twice, 40 to 50
     * ns together, so it adds half a nanosecond to each operation. Arrivals and the length of a turn are looked at as
     * seldom, which 128 operations of 250 ns allow.
     */
    static final int SAMPLE_INTERVAL = 128;

    private final StackProbe stack;
    private final CarrierTeams teams;
    private final Team team;
    private final WaitingLists waiting;
    private final MemberTurns members;
    private final ReadyQueue ready;
    private final Arrivals arrivals;
    private final Wakeups wakeups;
    private final Lending lending;
    private int sampleSeed;

    CarrierTurns(
            int carrier,
            StackProbe stack,
            CarrierTeams teams,
            MemberTurns members,
            ReadyQueue ready,
            Arrivals arrivals,
            Wakeups wakeups,
            Lending lending) {
        this.stack = stack;
        this.teams = teams;
        this.team = teams.team();
        this.waiting = teams.waiting();
        this.members = members;
        this.ready = ready;
        this.arrivals = arrivals;
        this.wakeups = wakeups;
        this.lending = lending;
        this.sampleSeed = carrier + 1;
    }

    /** Runs an operation that is not timed, and does not look after others. */
    static void run(SThread sThread, OperationList list) {
        list.countStraight();
        sThread.operating = true;
    }

    /**
     * Begins an operation that runs straight.
     *
     * @param sampled whether the one before was timed, so that it is time to look after others
     */
    void begin(SThread sThread, OperationList list, boolean sampled) {
        if (sThread.member) {
            if (team.size() > 1) {
                // The others of the team go on first.
                sThread.suspend(SThread.Request.LEAVE);
            }
            stack.reserve();
            teams.leave(sThread, null);
        }
        if (!sampled) {
            run(sThread, list);
            sThread.untilSlow = 1;
            sThread.sampledList = list;
            sThread.sampleStartNanos = InstalledTime.nanoTime();
            return;
        }
        lookForArrivals();
        boolean othersWait = othersWait(sThread);
        if (othersWait && sThread.operationsThisTurn >= Scheduler.OPERATIONS_PER_TURN_MAX) {
            sThread.suspend(SThread.Request.TURN_OVER);
        }
        list.governor.considerTrial(othersWait);
        run(sThread, list);
        int interval = sampleInterval();
        sThread.untilSlow = interval;
        sThread.lengthenTurn(interval);
    }

    /** Ends the timing of an operation, if it was timed; returns whether it was. */
    boolean endSample(SThread sThread) {
        OperationList list = sThread.sampledList;
        if (list == null) {
            return false;
        }
        long nanos = InstalledTime.nanoTime() - sThread.sampleStartNanos;
        sThread.sampledList = null;
        list.counters.add(OperationCounters.STRAIGHT_SAMPLES, 1);
        list.counters.add(OperationCounters.STRAIGHT_SAMPLE_NANOS, nanos);
        list.governor.sampleStraight(nanos);
        return true;
    }

    /** Varies, so that sampling does not keep step with transactions of a fixed number of operations (xorshift). */
    private int sampleInterval() {
        sampleSeed ^= sampleSeed << 13;
        sampleSeed ^= sampleSeed >>> 17;
        sampleSeed ^= sampleSeed << 5;
        return SAMPLE_INTERVAL / 2 + (sampleSeed & (SAMPLE_INTERVAL - 1));
    }

    /** See {@link SThread#yieldTurn}. */
    void yieldTurn(SThread sThread) {
        if (sThread.latchesHeld() != 0) {
            return;
        }
        lookForArrivals();
        if (othersWait(sThread) && !sThread.suspend(SThread.Request.YIELD)) {
            teams.countSkipped(sThread);
        }
    }

    /** See {@link SThread#transactionBoundary}. */
    void transactionBoundary(SThread sThread) {
        if (sThread.latchesHeld() != 0 || (sThread.member && team.size() > 1)) {
            return;
        }
        if (sThread.operationsThisTurn >= operationsPerTurn()) {
            sThread.operationsThisTurn = 0;
            if (othersWait(sThread)) {
                giveUpAtBoundary(sThread, SThread.Request.TURN_OVER);
            }
        } else if (ready.hasResumed()) {
            giveUpAtBoundary(sThread, SThread.Request.GIVE_WAY);
        }
    }

    private int operationsPerTurn() {
        int share = Scheduler.OPERATIONS_PER_ROUND / (ready.turnCount() + 1);
        return Math.clamp(share, Scheduler.OPERATIONS_PER_TURN_MIN, Scheduler.OPERATIONS_PER_TURN);
    }

    private void giveUpAtBoundary(SThread sThread, SThread.Request why) {
        InstalledProbe.entered(sThread);
        try {
            endSample(sThread);
            members.finishOperation(sThread);
            sThread.suspend(why);
        } finally {
            InstalledProbe.returned(sThread);
        }
    }

    private void lookForArrivals() {
        if (wakeups.mayFind()) {
            stack.reserve();
            wakeups.poll();
        }
    }

    /** Whether anybody does beside the mounted S-thread, which may run while others are the team. */
    private boolean othersWait(SThread sThread) {
        return team.size() > (sThread.member ? 1 : 0)
                || !ready.isEmpty()
                || !waiting.isEmpty()
                || !arrivals.isEmpty()
                || lending.isReturned();
    }
}
