package dev.lockstep.scheduler;

/**
 * The wrapper around every operation (STEPS, 4.1.1), beyond the fast path of {@link SThread#beginOperation}: ends the
 * previous operation, and begins the next one straight or in the list of those who are about to run it.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread, on the stack of whoever is mounted there.
 */
final class OperationWrapper {
    /**
     * Teams formed without going through the loop before it is entered again, for the sake of expired waits: with
     * operations of 250 ns and ten members, a limit is noticed within 160 µs.
     */
    static final int TEAMS_IN_PLACE_MAX = 64;

    private final StackProbe stack;
    private final CarrierTeams teams;
    private final OperationList[] lists;
    private final Team team;
    private final MemberTurns members;
    private final CarrierTurns turns;
    private final ReadyQueue ready;
    private final Arrivals arrivals;
    private final Lending lending;
    private int teamsInPlace;

    OperationWrapper(
            StackProbe stack,
            CarrierTeams teams,
            MemberTurns members,
            CarrierTurns turns,
            ReadyQueue ready,
            Arrivals arrivals,
            Lending lending) {
        this.stack = stack;
        this.teams = teams;
        this.lists = teams.lists();
        this.team = teams.team();
        this.members = members;
        this.turns = turns;
        this.ready = ready;
        this.arrivals = arrivals;
        this.lending = lending;
    }

    /** The loop is about to form a team, or to look for other work. */
    void loopEntered() {
        teamsInPlace = 0;
    }

    void begin(SThread sThread, int operation) {
        boolean sampled = turns.endSample(sThread);
        members.endOperation(sThread);
        OperationList list = lists[operation];
        if (list == null) {
            stack.reserve();
            list = teams.newList(operation);
        }
        sThread.operation = operation;
        if (sThread.latchesHeld() != 0) {
            stack.reserve();
            teams.leave(sThread, null);
            teams.countSkipped(sThread);
            CarrierTurns.run(sThread, list);
        } else if (list.straight) {
            turns.begin(sThread, list, sampled);
        } else {
            beginInTeam(sThread, list);
            members.begin(sThread);
        }
    }

    /** The body of the mounted S-thread has returned; the S-thread is about to leave the carrier for good. */
    void endBody(SThread sThread) {
        turns.endSample(sThread);
        members.finishOperation(sThread);
        sThread.request = SThread.Request.END;
    }

    private void beginInTeam(SThread sThread, OperationList list) {
        // Members of the running team beside this S-thread, which may have left it and kept its turn: it held a latch,
        // or was pinned, when its last operation began.
        if (team.size() > (sThread.member ? 1 : 0)) {
            joinByLoop(sThread, list);
            return;
        }
        stack.reserve();
        teams.leave(sThread, null);
        if (!ready.isEmpty() || !arrivals.isEmpty() || ++teamsInPlace > TEAMS_IN_PLACE_MAX || lending.isDue()) {
            joinByLoop(sThread, list);
            return;
        }
        // The last member or stray does the wrapper's work where it is, and leads the next team if that is its own:
        // one switch fewer per team.
        teams.join(sThread, list);
        teams.formOrWithdraw(sThread, list);
        if (sThread.member) {
            // Otherwise when it is suspended: it could be in a list that is lent, and be pinned.
            lending.consider();
        } else if (!suspendListed(sThread, list)) {
            runPinned(sThread, list);
        }
    }

    private boolean suspendListed(SThread sThread, OperationList list) {
        boolean left = false;
        try {
            left = sThread.suspend(SThread.Request.JOINED);
            return left;
        } finally {
            if (!left) {
                teams.withdraw(sThread, list);
            }
        }
    }

    private void joinByLoop(SThread sThread, OperationList list) {
        if (!sThread.suspend(SThread.Request.JOIN)) {
            stack.reserve();
            teams.leave(sThread, null);
            runPinned(sThread, list);
        }
    }

    private void runPinned(SThread sThread, OperationList list) {
        teams.countSkipped(sThread);
        CarrierTurns.run(sThread, list);
    }
}
