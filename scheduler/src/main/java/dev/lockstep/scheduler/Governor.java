package dev.lockstep.scheduler;

/**
 * Decides for one operation on one carrier whether forming teams pays, by trying it.
 *
 * <p>Three phases. <em>Straight</em>: S-threads run the operation without giving up the carrier; one in about
 * {@link CarrierThread#SAMPLE_INTERVAL} is timed, from its begin to the begin of the next operation. <em>Trial</em>:
 * {@link #TRIAL_TEAMS} teams are formed and timed, from formation to the last departure, plus one switch per member,
 * which lies outside that time. <em>Teams</em>: teams go on until {@link #REVIEW_OPERATIONS} operations later the
 * operation runs straight for a while, to be compared afresh. A failed trial doubles the distance to the next. Both
 * sides include the application's code between two operations, so they measure the same work.
 *
 * <p>What it does not see: effects of one operation's teams on another's time, and the latency that waiting in a
 * list adds.
 *
 * <p>Invariants: {@code list.straight} is false exactly in the phases trial and teams. Modes ON and OFF never change
 * it.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class Governor {
    /**
     * Operations before the first trial and between successful ones. At 250 ns each this is 16 ms of work, so a trial
     * of 32 teams of 10 that gains nothing costs at most 320 of 65,536 operations some 200 ns more: under one percent.
     */
    static final long REVIEW_OPERATIONS = 1L << 16;

    /** Failed trials stop doubling the distance here: at 250 ns an operation, a trial every four seconds. */
    static final long REVIEW_OPERATIONS_MAX = 1L << 24;

    /** Enough teams to average over a preemption or two, few enough to be cheap when they lose. */
    static final int TRIAL_TEAMS = 32;

    /** A trial that has seen this many teams without 32 real ones ends: there is not enough concurrency. */
    static final int TRIAL_TEAMS_MAX = 4 * TRIAL_TEAMS;

    /** Smaller teams share nothing. */
    static final int TRIAL_MEMBERS_MIN = 2;

    /** Timed operations that make a mean worth comparing with. */
    static final int STRAIGHT_SAMPLES_MIN = 32;

    /** A timing this many times the mean was interrupted by something else, and counts as this many times the mean. */
    static final int OUTLIER_FACTOR = 16;

    /** Teams must be this much better, in percent: less is within the noise of such short trials. */
    static final int GAIN_PERCENT_MIN = 5;

    /**
     * Cost of one switch, the part of joining a list that lies outside a team's time. Measured as 92 to 120 and rounded
     * up, because real stacks are deeper than those of that measurement.
     */
    static final long SWITCH_NANOS = 150;

    private final OperationList list;
    private final boolean governed;

    private long straightNanos;
    private long straightSamples;
    private long reviewDistance = REVIEW_OPERATIONS;
    private long operationsAtReview;
    private boolean trial;
    private int trialTeams;
    private int trialTeamsSeen;
    private long trialNanos;
    private long trialMembers;

    Governor(OperationList list, TeamMode mode) {
        this.list = list;
        this.governed = mode == TeamMode.GOVERNED;
    }

    /** Takes in the time of one operation that ran straight. */
    void sampleStraight(long nanos) {
        straightNanos += clip(nanos, 1);
        straightSamples++;
    }

    /** Starts a trial if one is due; to be called now and then while the operation runs straight. */
    void considerTrial(boolean othersWait) {
        if (governed
                && othersWait
                && straightSamples >= STRAIGHT_SAMPLES_MIN
                && operations() - operationsAtReview >= reviewDistance) {
            trial = true;
            trialTeams = 0;
            trialTeamsSeen = 0;
            trialNanos = 0;
            trialMembers = 0;
            list.straight = false;
        }
    }

    /** Takes in a team that has ended. */
    void teamEnded(int members, long nanos) {
        if (!governed) {
            return;
        }
        if (trial) {
            trialTeamsSeen++;
            if (members >= TRIAL_MEMBERS_MIN) {
                trialTeams++;
                trialNanos += clip(nanos, members) + SWITCH_NANOS * members;
                trialMembers += members;
            }
            if (trialTeams >= TRIAL_TEAMS || trialTeamsSeen >= TRIAL_TEAMS_MAX) {
                judge();
            }
        } else if (operations() - operationsAtReview >= REVIEW_OPERATIONS) {
            runStraight(REVIEW_OPERATIONS / 16);
        }
    }

    private void judge() {
        trial = false;
        boolean gains = trialTeams >= TRIAL_TEAMS
                && trialNanos * 100 / trialMembers <= straightNanos * (100 - GAIN_PERCENT_MIN) / straightSamples;
        if (gains) {
            operationsAtReview = operations();
        } else {
            runStraight(Math.min(2 * Math.max(reviewDistance, REVIEW_OPERATIONS / 2), REVIEW_OPERATIONS_MAX));
        }
    }

    private void runStraight(long untilReview) {
        list.straight = true;
        reviewDistance = untilReview;
        operationsAtReview = operations();
        straightNanos = 0;
        straightSamples = 0;
    }

    private long clip(long nanos, int operations) {
        return straightSamples < STRAIGHT_SAMPLES_MIN
                ? nanos
                : Math.min(nanos, (long) OUTLIER_FACTOR * operations * (straightNanos / straightSamples + 1));
    }

    private long operations() {
        return list.countOpaque(OperationCounters.STRAIGHT)
                + list.countOpaque(OperationCounters.MEMBERS_IN);
    }
}
