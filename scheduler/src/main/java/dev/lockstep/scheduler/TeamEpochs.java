package dev.lockstep.scheduler;

import java.util.function.LongSupplier;

/**
 * Decides for a whole carrier whether the teams that its {@link Governor}s keep pay together, by the transactions that
 * commit in a second of the carrier's processor time.
 *
 * <p>A governor compares the time of one operation in teams and without. It does not see what its teams do to
 * everybody else, who waits for the locks of those who wait in a list, or finds the caches filled with others' rows. So
 * while a governor keeps teams, there are long epochs of what has been decided last, teams or none, and between them
 * short ones in which the other is explored. After {@link #ROUNDS} of each the two are compared. The time that lists
 * take to fill or to drain around an exploration belongs to it and not to what is compared, and the longer it takes,
 * the longer is the next long epoch: all of it together is at most {@link #EXPLORED_PERCENT_MAX} of the time.
 *
 * <p>Invariants: teams are allowed while no governor keeps any; {@code phase} is {@link Phase#IDLE} exactly then.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class TeamEpochs {
    /** Some thousand transactions of 10 to 20 microseconds: their mean is then known within a few percent. */
    static final long EXPLORATION_NANOS = 20_000_000;

    /** In which all who are ready have reached a list: the turns of a hundred S-threads take less. */
    static final long SETTLING_NANOS = 5_000_000;

    /** With the reviews of single operations, which take as much at most, 2 in a hundred. */
    static final int EXPLORED_PERCENT_MAX = 1;

    /** So many explorations are judged together, so that one that met a checkpoint does not decide. */
    static final int ROUNDS = 4;

    /** In both kinds of epochs together: fewer commits tell nothing. */
    static final long COMMITS_MIN = 1_000;

    /** Teams that were turned off must be this much better to be turned on: less may be chance, and would alternate. */
    static final int GAIN_PERCENT_MIN = 5;

    /** Each judgement that changes nothing doubles the distance to the next exploration, up to this factor. */
    static final int DISTANCE_FACTOR_MAX = 16;

    private static final int PERCENT = 100;

    private enum Phase {
        /** No governor keeps teams. */
        IDLE,
        /** Others keep teams than before, since the last look. */
        BEGINNING,
        /** A long epoch of what has been decided. */
        DECIDED,
        /** The other way has begun, but not everybody follows it yet. */
        TURNING,
        EXPLORING,
        /** Back again, but not everybody. */
        RETURNING
    }

    /** Commits and processor time of the epochs of one kind. */
    private static final class Sum {
        private long commits;
        private long cpuNanos;

        private void clear() {
            commits = 0;
            cpuNanos = 0;
        }

        private double commitsPerNano() {
            return (double) commits / Math.max(1, cpuNanos);
        }
    }

    private final LongSupplier cpuNanos;
    /** Linked by {@link Governor#nextKeeper}, so that keeping teams needs no memory on a carrier's own stack. */
    private Governor firstKeeper;

    private final Sum decided = new Sum();
    private final Sum explored = new Sum();

    private Phase phase = Phase.IDLE;
    private boolean allowsTeams = true;
    private long commits;

    private long phaseStartNanos;
    private long explorationStartNanos;
    private long decidedNanos;
    private long commitsAtStart;
    private long cpuNanosAtStart;
    private int rounds;
    private int distanceFactor = 1;

    /** Whether teams are forbidden, so that no time passes here. */
    private boolean suspended;

    private long suspendedAtNanos;
    private long commitsBefore;
    private long cpuNanosBefore;

    /**
     * For one carrier.
     *
     * @param cpuNanos the processor time of its thread, asked on that thread
     */
    TeamEpochs(LongSupplier cpuNanos) {
        this.cpuNanos = cpuNanos;
    }

    /** Counts a commit of an S-thread of this carrier. */
    void countCommit() {
        commits++;
    }

    /** Whether a governor keeps teams that it may form, so that {@link #look} is to be called now and then. */
    boolean isActive() {
        return phase != Phase.IDLE && !suspended;
    }

    /** Whether teams that governors keep may form now. */
    boolean allowsTeams() {
        return allowsTeams;
    }

    /** A governor has found that teams of its operation pay. */
    void kept(Governor governor) {
        governor.nextKeeper = firstKeeper;
        firstKeeper = governor;
        beginAnew();
    }

    /** A governor that kept teams has given them up. */
    void givenUp(Governor governor) {
        unlink(governor);
        beginAnew();
    }

    @SuppressWarnings("ReferenceEquality") // that very governor
    private void unlink(Governor governor) {
        if (firstKeeper == governor) {
            firstKeeper = governor.nextKeeper;
        } else {
            Governor before = firstKeeper;
            while (before.nextKeeper != governor) {
                before = before.nextKeeper;
            }
            before.nextKeeper = governor.nextKeeper;
        }
        governor.nextKeeper = null;
    }

    /**
     * What the teams are has changed, so what is known of them is of others. What has been decided stays. No clock is
     * asked, since an S-thread may be mounted, whose processor time is not the carrier's.
     */
    private void beginAnew() {
        boolean explores = phase == Phase.TURNING || phase == Phase.EXPLORING;
        allow(allowsTeams != explores || firstKeeper == null);
        clear();
        if (firstKeeper == null) {
            phase = Phase.IDLE;
            distanceFactor = 1;
        } else {
            phase = Phase.BEGINNING;
        }
    }

    /**
     * Ends what is over; to be called by the carrier itself, no S-thread being mounted.
     *
     * @param nowNanos the present {@link InstalledTime#nanoTime}
     * @param listsWait whether anybody waits in a list
     */
    void look(long nowNanos, boolean listsWait) {
        switch (phase) {
            case BEGINNING -> {
                decidedNanos = EXPLORATION_NANOS * PERCENT / EXPLORED_PERCENT_MAX;
                begin(Phase.DECIDED, nowNanos);
            }
            case DECIDED -> {
                if (nowNanos - phaseStartNanos >= decidedNanos) {
                    addTo(decided);
                    explorationStartNanos = nowNanos;
                    turn(Phase.TURNING, nowNanos);
                }
            }
            case TURNING -> {
                if (isSettled(nowNanos, listsWait)) {
                    begin(Phase.EXPLORING, nowNanos);
                }
            }
            case EXPLORING -> {
                if (nowNanos - phaseStartNanos >= EXPLORATION_NANOS) {
                    addTo(explored);
                    turn(Phase.RETURNING, nowNanos);
                }
            }
            case RETURNING -> {
                if (isSettled(nowNanos, listsWait)) {
                    endRound(nowNanos);
                }
            }
            case IDLE -> {}
        }
    }

    /**
     * Stops time; by the carrier itself, no S-thread being mounted. No governor may keep teams or give them up until
     * {@link #resume}.
     */
    void suspend(long nowNanos) {
        suspended = true;
        suspendedAtNanos = nowNanos;
        commitsBefore = commits;
        cpuNanosBefore = cpuNanos.getAsLong();
    }

    /** Goes on where it was; by the carrier likewise. */
    void resume(long nowNanos) {
        suspended = false;
        phaseStartNanos += nowNanos - suspendedAtNanos;
        explorationStartNanos += nowNanos - suspendedAtNanos;
        commitsAtStart += commits - commitsBefore;
        cpuNanosAtStart += cpuNanos.getAsLong() - cpuNanosBefore;
    }

    private boolean isSettled(long nowNanos, boolean listsWait) {
        return allowsTeams ? nowNanos - phaseStartNanos >= SETTLING_NANOS : !listsWait;
    }

    private void endRound(long nowNanos) {
        rounds++;
        if (rounds == ROUNDS) {
            judge();
        }
        long nanos = nowNanos - explorationStartNanos;
        decidedNanos = nanos * PERCENT / EXPLORED_PERCENT_MAX * distanceFactor;
        begin(Phase.DECIDED, nowNanos);
    }

    private void judge() {
        boolean enough = decided.commits + explored.commits >= COMMITS_MIN;
        int percent = allowsTeams ? PERCENT : PERCENT + GAIN_PERCENT_MIN;
        if (enough && explored.commitsPerNano() * PERCENT > decided.commitsPerNano() * percent) {
            allow(!allowsTeams);
            distanceFactor = 1;
        } else {
            distanceFactor = Math.min(2 * distanceFactor, DISTANCE_FACTOR_MAX);
        }
        clear();
    }

    private void clear() {
        decided.clear();
        explored.clear();
        rounds = 0;
    }

    private void turn(Phase next, long nowNanos) {
        allow(!allowsTeams);
        begin(next, nowNanos);
    }

    private void allow(boolean teams) {
        allowsTeams = teams;
        for (Governor governor = firstKeeper; governor != null; governor = governor.nextKeeper) {
            governor.allowTeams(teams);
        }
    }

    private void begin(Phase next, long nowNanos) {
        phase = next;
        phaseStartNanos = nowNanos;
        commitsAtStart = commits;
        cpuNanosAtStart = cpuNanos.getAsLong();
    }

    private void addTo(Sum sum) {
        sum.commits += commits - commitsAtStart;
        sum.cpuNanos += cpuNanos.getAsLong() - cpuNanosAtStart;
    }
}
