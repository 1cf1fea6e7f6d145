package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Told of time, commits and lists; no clock is involved. */
class TeamEpochsTest {
    private static final long STEP_NANOS = 1_000_000;
    private static final int MEMBERS = 10;
    private static final int STRAIGHT_COMMITS = 100;

    private final TeamEpochs epochs = new TeamEpochs(this::cpuNanos);
    private final OperationList list = new OperationList(1, MEMBERS, TeamMode.GOVERNED, null, epochs);

    private long nowNanos;
    private long cpuNanos;
    private long nanosWithTeams;
    private long nanosWithout;

    private int straightCommits = STRAIGHT_COMMITS;

    /** Lists take so many steps to drain. */
    private int drainSteps = 3;

    private int listedSteps;

    private long cpuNanos() {
        return cpuNanos;
    }

    private void keepTeams() {
        for (long i = 0; i < Governor.REVIEW_OPERATIONS; i++) {
            list.countStraight();
            if (i % CarrierTurns.SAMPLE_INTERVAL == 0) {
                list.governor.sampleStraight(STEP_NANOS);
            }
        }
        list.governor.considerTrial(true);
        for (int i = 0; i < Governor.TRIAL_TEAMS; i++) {
            list.governor.teamEnded(MEMBERS, 0, STEP_NANOS);
        }
        assertTrue(epochs.isActive());
    }

    /** Time goes on, in which so many transactions commit, in a step of a millisecond of the processor each. */
    private void run(long nanos, int commitsWithTeams, long cpuNanosAStep) {
        for (long end = nowNanos + nanos; nowNanos < end; nowNanos += STEP_NANOS) {
            boolean teams = !list.straight;
            assertEquals(teams, epochs.allowsTeams());
            nanosWithTeams += teams ? STEP_NANOS : 0;
            nanosWithout += teams ? 0 : STEP_NANOS;
            listedSteps = teams ? drainSteps : Math.max(0, listedSteps - 1);
            for (int i = 0; i < (teams ? commitsWithTeams : straightCommits); i++) {
                epochs.countCommit();
            }
            cpuNanos += teams ? cpuNanosAStep : STEP_NANOS;
            epochs.look(nowNanos, listedSteps > 0);
        }
    }

    private static long rounds(int count) {
        return count * 102L * (TeamEpochs.EXPLORATION_NANOS + TeamEpochs.SETTLING_NANOS + 5 * STEP_NANOS);
    }

    @Test
    void teamsThatGainAreKept() {
        keepTeams();
        run(rounds(3 * TeamEpochs.ROUNDS), STRAIGHT_COMMITS + 1, STEP_NANOS);
        assertTrue(epochs.allowsTeams());
        assertTrue(nanosWithout > 0);
        assertTrue(nanosWithout * 100 <= nanosWithTeams + nanosWithout, () -> "nanosWithout=" + nanosWithout);
    }

    /** The governor of the operation does not see why. */
    @Test
    void teamsThatLoseAreTurnedOffAndTriedNowAndThen() {
        keepTeams();
        run(rounds(TeamEpochs.ROUNDS + 1), STRAIGHT_COMMITS - 1, STEP_NANOS);
        assertFalse(epochs.allowsTeams());
        nanosWithTeams = 0;
        nanosWithout = 0;
        run(rounds(20 * TeamEpochs.ROUNDS), STRAIGHT_COMMITS - 1, STEP_NANOS);
        assertTrue(nanosWithTeams > 0);
        assertTrue(nanosWithTeams * 100 <= nanosWithTeams + nanosWithout, () -> "nanosWithTeams=" + nanosWithTeams);
    }

    /** What others took of the processor is no loss: as many commit in half of its time. */
    @Test
    void commitsCountByProcessorTime() {
        keepTeams();
        run(rounds(3 * TeamEpochs.ROUNDS), STRAIGHT_COMMITS * 6 / 10, STEP_NANOS / 2);
        assertTrue(epochs.allowsTeams());
        assertTrue(nanosWithTeams > nanosWithout);
    }

    @Test
    void teamsThatWereTurnedOffComeBackWhenTheyGain() {
        keepTeams();
        run(rounds(2 * TeamEpochs.ROUNDS), STRAIGHT_COMMITS / 2, STEP_NANOS);
        nanosWithTeams = 0;
        nanosWithout = 0;
        run(rounds(TeamEpochs.DISTANCE_FACTOR_MAX * 2 * TeamEpochs.ROUNDS), STRAIGHT_COMMITS * 2, STEP_NANOS);
        assertTrue(epochs.allowsTeams());
        assertTrue(nanosWithTeams > nanosWithout);
    }

    /** A gain that may be chance does not bring them back. */
    @Test
    void smallGainsDoNotAlternate() {
        keepTeams();
        run(rounds(TeamEpochs.ROUNDS + 1), STRAIGHT_COMMITS / 2, STEP_NANOS);
        assertFalse(epochs.allowsTeams());
        nanosWithTeams = 0;
        nanosWithout = 0;
        run(rounds(4 * TeamEpochs.ROUNDS), STRAIGHT_COMMITS + TeamEpochs.GAIN_PERCENT_MIN - 1, STEP_NANOS);
        assertTrue(nanosWithTeams > 0);
        assertTrue(nanosWithTeams * 50 < nanosWithout, () -> "nanosWithTeams=" + nanosWithTeams);
    }

    /** The slower lists drain, the rarer teams are explored. */
    @Test
    void slowDrainsAreExploration() {
        drainSteps = 200;
        keepTeams();
        run(rounds(TeamEpochs.ROUNDS) + 5L * TeamEpochs.ROUNDS * 100 * drainSteps * STEP_NANOS, 1, STEP_NANOS);
        long draining = 0;
        nanosWithTeams = 0;
        long begin = nowNanos;
        for (int i = 0; i < 100_000; i++) {
            run(STEP_NANOS, 1, STEP_NANOS);
            draining += list.straight && listedSteps > 0 ? STEP_NANOS : 0;
        }
        assertTrue(nanosWithTeams > 0);
        long explored = nanosWithTeams + draining;
        assertTrue(explored * 100 <= nowNanos - begin, () -> "explored=" + explored);
    }

    @Test
    void whereNothingCommitsNothingIsJudged() {
        keepTeams();
        straightCommits = 1;
        run(rounds(3 * TeamEpochs.ROUNDS), 0, STEP_NANOS);
        assertTrue(nanosWithout > 0);
        assertTrue(nanosWithTeams > 10 * nanosWithout);
    }

    /** Once no operation has teams there is nothing to explore, and the next ones begin with a clean record. */
    @Test
    void aGovernorThatGivesUpEndsIt() {
        keepTeams();
        run(rounds(TeamEpochs.ROUNDS + 1), STRAIGHT_COMMITS / 2, STEP_NANOS);
        assertFalse(epochs.allowsTeams());
        epochs.givenUp(list.governor);
        assertFalse(epochs.isActive());
        assertTrue(epochs.allowsTeams());
    }

    /**
     * The same steps with a break after each third, in which a thousand transactions of others commit, decide alike.
     */
    @Test
    void aTimeWithoutTeamsIsNoneForTheEpochs() {
        keepTeams();
        run(rounds(TeamEpochs.ROUNDS + 1), STRAIGHT_COMMITS - 1, STEP_NANOS);
        long withTeams = nanosWithTeams;
        long without = nanosWithout;

        TeamEpochsTest broken = new TeamEpochsTest();
        broken.keepTeams();
        for (long steps = rounds(TeamEpochs.ROUNDS + 1) / STEP_NANOS; steps > 0; steps--) {
            broken.run(STEP_NANOS, STRAIGHT_COMMITS - 1, STEP_NANOS);
            if (steps % 3 == 0) {
                broken.rest();
            }
        }
        assertFalse(broken.epochs.allowsTeams());
        assertEquals(withTeams, broken.nanosWithTeams);
        assertEquals(without, broken.nanosWithout);
    }

    private void rest() {
        list.governor.suspend();
        epochs.suspend(nowNanos);
        assertFalse(epochs.isActive());
        assertTrue(list.straight);
        for (int i = 0; i < 1_000; i++) {
            epochs.countCommit();
        }
        nowNanos += 7 * TeamEpochs.EXPLORATION_NANOS;
        cpuNanos += TeamEpochs.EXPLORATION_NANOS;
        list.governor.resume();
        epochs.resume(nowNanos);
        assertTrue(epochs.isActive());
    }
}
