package dev.lockstep.scheduler;

/**
 * What happens at the switch points of a team's members: the next one takes its turn (STEPS, 3.3), at once or behind
 * the operation; or the member meets another one at a {@link PairBarrier}.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class MemberTurns {
    private final CarrierTeams teams;
    private final OperationList[] lists;
    private final Team team;
    private final boolean putsOffTurns;
    private final boolean passesTurnsBehind;

    /** In place of switches, {@code null} where members take turns. */
    private final PairBarrier barrier;

    private final int side;

    MemberTurns(Scheduler scheduler, int carrier, SchedulerOptions options, CarrierTeams teams) {
        this.teams = teams;
        this.lists = teams.lists();
        this.team = teams.team();
        this.putsOffTurns = options.teamExecution() == TeamExecution.SERIAL;
        this.passesTurnsBehind = options.teamExecution() == TeamExecution.APART;
        this.barrier = scheduler.barrierOrNull(carrier);
        this.side = carrier % 2;
    }

    /** The mounted S-thread has begun an operation, in a team if it takes turns. */
    void begin(SThread sThread) {
        if (barrier != null && sThread.turns) {
            sThread.pointsPassed = 0;
            barrier.pass(side, sThread.operation, 0);
        }
    }

    /** The mounted member passes a switch point. */
    void switchPoint(SThread sThread) {
        if (putsOffTurns && sThread.latchesHeld() == 0) {
            sThread.turnsPutOff++;
        } else {
            passTurn(sThread);
        }
    }

    private void passTurn(SThread sThread) {
        if (sThread.latchesHeld() != 0) {
            teams.countSkipped(sThread);
        } else if (barrier != null) {
            meet(sThread);
        } else if (team.size() > 1 && !sThread.suspend(SThread.Request.SWITCH)) {
            teams.countSkipped(sThread);
        }
    }

    private void meet(SThread sThread) {
        InstalledProbe.entered(sThread);
        if (barrier.pass(side, sThread.operation, ++sThread.pointsPassed)) {
            lists[sThread.operation].counters.add(OperationCounters.SWITCHES, 1);
        } else {
            teams.countSkipped(sThread);
        }
        InstalledProbe.returned(sThread);
    }

    /** Takes the turns that were put off, and the one behind the operation where there is one. */
    void endOperation(SThread sThread) {
        while (sThread.turnsPutOff > 0) {
            sThread.turnsPutOff--;
            passTurn(sThread);
        }
        boolean ended = sThread.operating;
        finishOperation(sThread);
        if (passesTurnsBehind && ended && sThread.member) {
            passTurn(sThread);
        }
    }

    /** Ends the operation for the statistics; the S-thread keeps its place in the team, if it has one. */
    void finishOperation(SThread sThread) {
        if (sThread.operating) {
            if (sThread.member) {
                lists[sThread.operation].counters.add(OperationCounters.MEMBERS_OUT, 1);
            }
            sThread.operating = false;
            sThread.turns = false;
            leaveBarrier();
        }
    }

    /** Nobody executes an operation here now. */
    void leaveBarrier() {
        if (barrier != null) {
            barrier.leave(side);
        }
    }
}
