package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The governor is told times and must draw the right conclusion; no clock is involved. */
class GovernorTest {
    private static final long STRAIGHT_NANOS = 1_000;
    private static final int MEMBERS = 10;

    private final TeamEpochs epochs = new TeamEpochs(() -> 0);
    private final OperationList list = new OperationList(1, 10, TeamMode.GOVERNED, null, epochs);

    private void runStraight(long operations) {
        for (long i = 0; i < operations; i++) {
            list.countStraight();
            if (i % CarrierTurns.SAMPLE_INTERVAL == 0) {
                list.governor.sampleStraight(STRAIGHT_NANOS);
            }
        }
    }

    private void runTeams(int teams, int members, long nanosPerMember) {
        for (int i = 0; i < teams; i++) {
            list.counters.add(OperationCounters.TEAMS, 1);
            list.counters.add(OperationCounters.MEMBERS_IN, members);
            list.governor.teamEnded(members, 0, nanosPerMember * members);
        }
    }

    private void startTrial() {
        runStraight(Governor.REVIEW_OPERATIONS);
        list.governor.considerTrial(true);
        assertFalse(list.straight);
    }

    @Test
    void operationsRunStraightUntilEnoughIsKnown() {
        assertTrue(list.straight);
        list.governor.considerTrial(true);
        assertTrue(list.straight, "nothing measured yet");
        runStraight(Governor.REVIEW_OPERATIONS);
        list.governor.considerTrial(false);
        assertTrue(list.straight, "nobody to form a team with");
    }

    @Test
    void teamsThatGainAreKeptAndReviewed() {
        startTrial();
        runTeams(Governor.TRIAL_TEAMS, MEMBERS, STRAIGHT_NANOS / 2);
        assertFalse(list.straight);
        assertTrue(epochs.isActive());
        runTeams((int) Governor.KEPT_OPERATIONS / MEMBERS + 1, MEMBERS, STRAIGHT_NANOS / 2);
        assertTrue(list.straight, "to be measured afresh");
        runStraight(Governor.STRAIGHT_OPERATIONS);
        list.governor.considerTrial(true);
        assertFalse(list.straight);
    }

    private void review(long nanosPerMember) {
        runTeams((int) Governor.KEPT_OPERATIONS / MEMBERS + 1, MEMBERS, STRAIGHT_NANOS / 2);
        assertTrue(list.straight);
        runStraight(Governor.STRAIGHT_OPERATIONS);
        list.governor.considerTrial(true);
        runTeams(Governor.TRIAL_TEAMS, MEMBERS, nanosPerMember);
    }

    /** Or they would begin anew with each, and never come to judge. */
    @Test
    void epochsGoOnOverReviews() {
        startTrial();
        runTeams(Governor.TRIAL_TEAMS, MEMBERS, STRAIGHT_NANOS / 2);
        epochs.look(0, false);
        review(STRAIGHT_NANOS / 2);
        epochs.look(TeamEpochs.EXPLORATION_NANOS * 100 / TeamEpochs.EXPLORED_PERCENT_MAX, false);
        assertFalse(epochs.allowsTeams(), "the other way is explored");
    }

    @Test
    void aReviewThatTeamsLoseEndsTheEpochs() {
        startTrial();
        runTeams(Governor.TRIAL_TEAMS, MEMBERS, STRAIGHT_NANOS / 2);
        review(STRAIGHT_NANOS);
        assertTrue(list.straight);
        assertFalse(epochs.isActive());
    }

    /** Of ten million operations, half of what the governor and the epochs may take together. */
    @Test
    void exploresOneInAHundredOperations() {
        for (boolean gains : new boolean[] {true, false}) {
            OperationList tried = new OperationList(1, MEMBERS, TeamMode.GOVERNED, null, new TeamEpochs(() -> 0));
            long explored = 0;
            long operations = 0;
            boolean decided = false;
            while (operations < 10_000_000) {
                if (tried.straight) {
                    tried.countStraight();
                    operations++;
                    explored += decided && gains ? 1 : 0;
                    if (operations % CarrierTurns.SAMPLE_INTERVAL == 0) {
                        tried.governor.sampleStraight(STRAIGHT_NANOS);
                        tried.governor.considerTrial(true);
                    }
                } else {
                    decided = true;
                    tried.counters.add(OperationCounters.MEMBERS_IN, MEMBERS);
                    operations += MEMBERS;
                    explored += gains ? 0 : MEMBERS;
                    tried.governor.teamEnded(MEMBERS, 0, MEMBERS * STRAIGHT_NANOS / (gains ? 2 : 1));
                }
            }
            assertTrue(explored > 0, "gains=" + gains);
            assertTrue(explored <= operations / 100, "gains=" + gains + " explored=" + explored);
        }
    }

    /** A trial is a number of teams; with a thousand members each it is a hundred times as many operations. */
    @Test
    void exploresNoMoreWithLargeTeams() {
        int members = 1_000;
        OperationList tried = new OperationList(1, members, TeamMode.GOVERNED, null, new TeamEpochs(() -> 0));
        long operations = 0;
        while (tried.straight) {
            tried.countStraight();
            operations++;
            if (operations % CarrierTurns.SAMPLE_INTERVAL == 0) {
                tried.governor.sampleStraight(STRAIGHT_NANOS);
                tried.governor.considerTrial(true);
            }
        }
        long explored = 0;
        while (!tried.straight) {
            tried.counters.add(OperationCounters.MEMBERS_IN, 1);
            explored++;
            if (explored % members == 0) {
                // One member alone shares nothing: the longest trial that there is.
                tried.governor.teamEnded(1, 0, STRAIGHT_NANOS);
            }
        }
        assertEquals((long) Governor.TRIAL_TEAMS_MAX * members, explored);
        assertTrue(explored <= operations * Governor.EXPLORED_PERCENT_MAX / 100, "operations=" + operations);
    }

    @Test
    void keepsTeamsThatAreNotAllowedForLater() {
        startTrial();
        runTeams(Governor.TRIAL_TEAMS, MEMBERS, STRAIGHT_NANOS / 2);
        list.governor.allowTeams(false);
        assertTrue(list.straight);
        runStraight(2 * Governor.KEPT_OPERATIONS);
        list.governor.considerTrial(true);
        assertTrue(list.straight, "there is nothing to try");
        list.governor.allowTeams(true);
        runTeams(1, MEMBERS, STRAIGHT_NANOS / 2);
        assertFalse(list.straight, "what ran meanwhile is no reason for a review");
    }

    /** Whole epochs are compared now and then, more often than an operation that is not frequent has run so often. */
    @Test
    void teamsAreReviewedThatAreForbiddenInBetween() {
        startTrial();
        runTeams(Governor.TRIAL_TEAMS, MEMBERS, STRAIGHT_NANOS / 2);
        int threeQuarters = (int) (Governor.KEPT_OPERATIONS / 4 * 3 / MEMBERS);
        runTeams(threeQuarters, MEMBERS, STRAIGHT_NANOS / 2);
        assertFalse(list.straight);
        list.governor.allowTeams(false);
        list.governor.allowTeams(true);
        runTeams(threeQuarters, MEMBERS, STRAIGHT_NANOS / 2);
        assertTrue(list.straight, "the review is due");
    }

    @Test
    void teamsThatLoseAreGivenUpForLongerEachTime() {
        startTrial();
        runTeams(Governor.TRIAL_TEAMS, MEMBERS, STRAIGHT_NANOS);
        assertTrue(list.straight);
        runStraight((Governor.REVIEW_DISTANCE_FACTOR - 1) * Governor.REVIEW_OPERATIONS);
        list.governor.considerTrial(true);
        assertTrue(list.straight, "the distance has grown");
        runStraight(Governor.REVIEW_OPERATIONS);
        list.governor.considerTrial(true);
        assertFalse(list.straight);
    }

    /** A gain within the noise, or eaten by the switch into the team, is none. */
    @Test
    void smallGainsAreNoGains() {
        startTrial();
        runTeams(Governor.TRIAL_TEAMS, MEMBERS, STRAIGHT_NANOS * 99 / 100 - Governor.SWITCH_NANOS);
        assertTrue(list.straight);
    }

    @Test
    void aTrialWithoutConcurrencyEnds() {
        startTrial();
        runTeams(Governor.TRIAL_TEAMS_MAX, 1, 1);
        assertTrue(list.straight);
    }

    /** One team that the operating system interrupted for 10 ms does not decide a trial. */
    @Test
    void anOutlierDoesNotDecide() {
        startTrial();
        runTeams(1, MEMBERS, 10_000_000 / MEMBERS);
        runTeams(Governor.TRIAL_TEAMS - 1, MEMBERS, STRAIGHT_NANOS / 4);
        assertFalse(list.straight);
    }

    /** Nor do slices of 3 ms that the JIT compiler took from the straight operations, the first one among them. */
    @Test
    void interruptedOperationsDoNotMakeTeamsLookGood() {
        for (int i = 0; i < Governor.STRAIGHT_SAMPLES_MIN; i++) {
            list.governor.sampleStraight(i % 5 == 0 ? 3_000_000 : STRAIGHT_NANOS);
        }
        for (long i = 0; i < Governor.REVIEW_OPERATIONS; i++) {
            list.countStraight();
        }
        list.governor.considerTrial(true);
        assertFalse(list.straight);
        runTeams(Governor.TRIAL_TEAMS, MEMBERS, STRAIGHT_NANOS);
        assertTrue(list.straight);
    }

    /** Members that wait elsewhere make their team short, not fast. */
    @Test
    void teamsWithStraysAreNotCompared() {
        startTrial();
        for (int i = 0; i < Governor.TRIAL_TEAMS_MAX; i++) {
            assertFalse(list.straight);
            list.governor.teamEnded(MEMBERS, MEMBERS - 1, STRAIGHT_NANOS);
        }
        assertTrue(list.straight);
    }

    @Test
    void otherModesDecideNothing() {
        for (TeamMode mode : List.of(TeamMode.ON, TeamMode.OFF)) {
            OperationList fixed = new OperationList(1, 10, mode, null, epochs);
            boolean straight = fixed.straight;
            assertEquals(mode == TeamMode.OFF, straight);
            for (int i = 0; i < 2 * Governor.TRIAL_TEAMS_MAX; i++) {
                fixed.counters.add(OperationCounters.MEMBERS_IN, Governor.REVIEW_OPERATIONS);
                fixed.governor.sampleStraight(STRAIGHT_NANOS);
                fixed.governor.considerTrial(true);
                fixed.governor.teamEnded(MEMBERS, 0, 1);
            }
            assertEquals(straight, fixed.straight);
        }
    }

    @Test
    void whereTeamsAreForbiddenNothingIsTriedAndNoReviewComesCloser() {
        runStraight(Governor.REVIEW_OPERATIONS - 1);
        list.governor.suspend();
        runStraight(2 * Governor.REVIEW_OPERATIONS);
        list.governor.considerTrial(true);
        assertTrue(list.straight);
        list.governor.resume();
        list.governor.considerTrial(true);
        assertTrue(list.straight, "one operation is missing");
        runStraight(1);
        list.governor.considerTrial(true);
        assertFalse(list.straight);
    }

    @Test
    void aTrialThatIsInterruptedGoesOn() {
        startTrial();
        runTeams(Governor.TRIAL_TEAMS - 1, MEMBERS, STRAIGHT_NANOS / 2);
        list.governor.suspend();
        assertTrue(list.straight);
        // Those who waited in the list.
        runTeams(Governor.TRIAL_TEAMS, MEMBERS, STRAIGHT_NANOS * 2);
        list.governor.resume();
        assertFalse(list.straight);
        assertFalse(epochs.isActive());
        runTeams(1, MEMBERS, STRAIGHT_NANOS / 2);
        assertTrue(epochs.isActive(), "teams that gain are kept");
        assertFalse(list.straight);
    }
}
