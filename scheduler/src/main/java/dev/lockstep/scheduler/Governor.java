package dev.lockstep.scheduler;

import java.util.Arrays;

/**
 * Decides for one operation on one carrier whether forming teams pays, by trying it.
 *
 * <p>Three phases. <em>Straight</em>: S-threads run the operation without giving up the carrier; one in about
 * {@link CarrierTurns#SAMPLE_INTERVAL} is timed, from its begin to the begin of the next operation. <em>Trial</em>:
 * {@link #TRIAL_TEAMS} teams are formed and timed, from formation to the last departure, plus one switch per member,
 * which lies outside that time. <em>Teams</em>: they are kept, while {@link TeamEpochs} allows them, until
 * {@link #KEPT_OPERATIONS} operations later the operation runs straight for a while, to be compared afresh. A failed
 * trial multiplies the distance to the next. Both sides include the application's code between two operations, so they
 * measure the same work; an operation that gave up its carrier before its end is left out on both.
 *
 * <p>What it does not see: effects of one operation's teams on another's time, such as waiting for the locks of those
 * who wait in a list, which is what {@link TeamEpochs} is for; and the latency that waiting there adds.
 *
 * <p>Invariants: {@code list.straight} is false exactly in a trial, and where teams are kept and allowed. Modes ON and
 * OFF never change it.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class Governor {
    /**
     * Operations before the first trial, and after which one that has failed is repeated at first. At 250 ns each this
     * is 16 ms of work, so a trial of 8 teams of 10 that gains nothing costs 80 of 65,536 operations some 200 ns more,
     * and disturbs the turns of all others 8 to 16 times. Where teams have more members the distance is larger, see
     * {@link #EXPLORED_PERCENT_MAX}.
     */
    static final long REVIEW_OPERATIONS = 1L << 16;

    /**
     * Operations for which teams that gain are kept before they are compared afresh. The {@link #STRAIGHT_OPERATIONS}
     * that this takes are less than 1 in a hundred of them.
     */
    static final long KEPT_OPERATIONS = 1L << 19;

    /** Operations that run straight to be compared with: as many as give {@link #STRAIGHT_SAMPLES_MIN} timings. */
    static final long STRAIGHT_OPERATIONS = 1L << 12;

    /** A trial executes at most this part of the operations since the one before, in percent. */
    static final int EXPLORED_PERCENT_MAX = 2;

    /** Failed trials stop raising the distance here: at 250 ns an operation, a trial every four seconds. */
    static final long REVIEW_OPERATIONS_MAX = 1L << 24;

    /**
     * By what a failed trial multiplies the distance to the next. For each team that is tried everybody who is ready
     * gives up the turn in the middle of a transaction, with locks held, which costs others more than the trial sees;
     * and a database has two dozen operations to try. With 8, each is tried three times in its first five million,
     * with 2 seven times.
     */
    static final int REVIEW_DISTANCE_FACTOR = 8;

    /** Enough teams to leave out two that were interrupted, few enough to be cheap when they lose. */
    static final int TRIAL_TEAMS = 8;

    /** A trial that has seen this many teams without enough real ones ends: there is not enough concurrency. */
    static final int TRIAL_TEAMS_MAX = 2 * TRIAL_TEAMS;

    /** Smaller teams share nothing. */
    static final int TRIAL_MEMBERS_MIN = 2;

    /** Timed operations that make a mean worth comparing with. */
    static final int STRAIGHT_SAMPLES_MIN = 32;

    /** The latest of them that are kept to compare with: as many operations as a dozen teams have. */
    static final int STRAIGHT_SAMPLES_MAX = 128;

    /**
     * Of the timings of either side the fastest are compared, this many in a hundred. The slowest were interrupted: a
     * carrier may share its core with the JIT compiler and the log writer, and one slice of theirs, 3 ms, is as long as
     * ten thousand operations. Three quarters leave out more of them than there are, and still most of the work.
     */
    static final int TIMINGS_KEPT_PERCENT = 75;

    /**
     * Teams must be this much better, in percent: less is within the noise of such short trials, and would not pay for
     * what the trial does not see.
     */
    static final int GAIN_PERCENT_MIN = 10;

    /**
     * Cost of one switch, the part of joining a list that lies outside a team's time. Measured as 92 to 120 and rounded
     * up, because real stacks are deeper than those of that measurement.
     */
    static final long SWITCH_NANOS = 150;

    /** The link of {@link TeamEpochs}, whose it is. */
    Governor nextKeeper;

    private final OperationList list;
    private final boolean governed;
    private final TeamEpochs epochs;

    private final long[] straightNanos = new long[STRAIGHT_SAMPLES_MAX];
    private long straightSamples;
    private final long firstDistance;
    private long reviewDistance;
    /** Since the review, when teams that are kept were last forbidden. */
    private long operationsInTeams;

    private long operationsAtReview;
    private boolean trial;
    private boolean kept;

    /** Whether teams that are kept are being compared afresh, which is no change to {@link #epochs} until it fails. */
    private boolean reviewing;

    /** Whether teams are forbidden, whatever this governor has found. */
    private boolean suspended;

    private boolean straightBefore;
    private long operationsBefore;

    private int trialTeams;
    private int trialTeamsSeen;
    private final long[] trialNanosPerMember = new long[TRIAL_TEAMS];

    Governor(OperationList list, TeamMode mode, TeamEpochs epochs) {
        this.list = list;
        this.governed = mode == TeamMode.GOVERNED;
        this.epochs = epochs;
        long trialOperationsMax = (long) TRIAL_TEAMS_MAX * list.teamLimit;
        firstDistance = Math.max(REVIEW_OPERATIONS, trialOperationsMax * 100 / EXPLORED_PERCENT_MAX);
        reviewDistance = firstDistance;
    }

    /** Takes in the time of one operation that ran straight. */
    void sampleStraight(long nanos) {
        straightNanos[(int) (straightSamples % STRAIGHT_SAMPLES_MAX)] = nanos;
        straightSamples++;
    }

    /** Starts a trial if one is due; to be called now and then while the operation runs straight. */
    void considerTrial(boolean othersWait) {
        if (governed
                && !suspended
                && othersWait
                && (!kept || reviewing)
                && epochs.allowsTeams()
                && straightSamples >= STRAIGHT_SAMPLES_MIN
                && operations() - operationsAtReview >= reviewDistance) {
            trial = true;
            trialTeams = 0;
            trialTeamsSeen = 0;
            list.straight = false;
        }
    }

    /**
     * Takes in a team that has ended.
     *
     * @param strays members that left in the middle of the operation: what the team did not spend on them makes it
     *     incomparable
     */
    void teamEnded(int members, int strays, long nanos) {
        if (!governed || suspended) {
            return;
        }
        if (trial) {
            trialTeamsSeen++;
            if (members >= TRIAL_MEMBERS_MIN && strays == 0) {
                trialNanosPerMember[trialTeams++] = nanos / members + SWITCH_NANOS;
            }
            if (trialTeams >= TRIAL_TEAMS || trialTeamsSeen >= TRIAL_TEAMS_MAX) {
                judge();
            }
        } else if (kept && !list.straight && operations() - operationsAtReview >= KEPT_OPERATIONS) {
            reviewing = true;
            runStraight(STRAIGHT_OPERATIONS);
        }
    }

    /** Teams that are kept may form from now on, or may not; what runs while they may not brings no review closer. */
    void allowTeams(boolean allowed) {
        if (reviewing || list.straight != allowed) {
            return;
        }
        list.straight = !allowed;
        if (allowed) {
            operationsAtReview = operations() - operationsInTeams;
        } else {
            operationsInTeams = operations() - operationsAtReview;
        }
    }

    /** Has the operation run straight, until {@link #resume}; not to be called twice. */
    void suspend() {
        suspended = true;
        straightBefore = list.straight;
        operationsBefore = operations();
        list.straight = true;
    }

    /** Goes on where it was; what ran meanwhile brings no review closer. */
    void resume() {
        suspended = false;
        list.straight = straightBefore;
        operationsAtReview += operations() - operationsBefore;
    }

    private void judge() {
        trial = false;
        boolean gains = trialTeams >= TRIAL_TEAMS
                && typicalNanos(trialNanosPerMember, trialTeams)
                        <= typicalNanos(straightNanos, (int) Math.min(straightSamples, STRAIGHT_SAMPLES_MAX))
                                * (100 - GAIN_PERCENT_MIN)
                                / 100;
        reviewing = false;
        if (gains) {
            operationsAtReview = operations();
            if (!kept) {
                kept = true;
                epochs.kept(this);
            }
            list.straight = !epochs.allowsTeams();
        } else {
            long distance = Math.max(REVIEW_DISTANCE_FACTOR * reviewDistance, firstDistance);
            runStraight(Math.min(distance, Math.max(REVIEW_OPERATIONS_MAX, firstDistance)));
            if (kept) {
                kept = false;
                epochs.givenUp(this);
            }
        }
    }

    private void runStraight(long untilReview) {
        list.straight = true;
        reviewDistance = untilReview;
        operationsAtReview = operations();
        straightSamples = 0;
    }

    /** The mean of the fastest; brings the timings, which nobody needs in their order any more, into another. */
    private static long typicalNanos(long[] timings, int count) {
        Arrays.sort(timings, 0, count);
        int kept = Math.max(1, count * TIMINGS_KEPT_PERCENT / 100);
        long sum = 0;
        for (int i = 0; i < kept; i++) {
            sum += timings[i];
        }
        return sum / kept;
    }

    private long operations() {
        return list.countOpaque(OperationCounters.STRAIGHT) + list.countOpaque(OperationCounters.MEMBERS_IN);
    }
}
