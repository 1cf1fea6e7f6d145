package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.simulate.jvm.SimulatedPhases;
import dev.lockstep.counters.Markers;

/**
 * Marks for the simulator where the rounds begin that count, and where they end. Before a cold round, code that no
 * cache holds beside the operation's is executed in a phase of its own. Used by one thread at a time.
 */
final class FetchPhases implements RoundListener {
    /** Rounds of a transaction before those that count, by which the caches hold what a round leaves there. */
    static final int ROUNDS_BEFORE = 20;

    /** Rounds that count, as many as in the paper. */
    static final int ROUNDS_WARM = 100;

    /** Each of these costs a flood; nothing varies but the rows. */
    static final int ROUNDS_COLD = 20;

    /** Of a member's transaction: the last one ends the phase before it. */
    static final int ROUNDS = ROUNDS_BEFORE + ROUNDS_WARM + 1;

    /** Code that fills the caches. */
    static final int PHASE_FLOOD = Markers.PHASE_MAX;

    /** What only has to be executed once before. */
    static final int PHASE_DRY = PHASE_FLOOD - 1;

    /** Option of the JVM by which the code of rounds stays when they are marked for the first time. */
    static final String KEEP_COMPILED = "-XX:CompileCommand=dontinline," + FetchPhases.class.getName() + "::mark";

    private static final int PHASE_FIRST = 1;

    /** Of a size: warm rounds, cold rounds, and the marks of cold rounds without operations. */
    private static final int PHASES = 3;

    private final int phase;
    private final int emptyPhase;
    private final boolean cold;
    private final Runnable flood;
    private final boolean marks;
    private int round;

    private FetchPhases(int phase, int emptyPhase, boolean cold, Runnable flood, boolean marks) {
        this.phase = phase;
        this.emptyPhase = emptyPhase;
        this.cold = cold;
        this.flood = flood;
        this.marks = marks;
    }

    /**
     * For one run of one transaction for each member.
     *
     * @param flood executes more code than any simulated cache holds
     */
    static FetchPhases of(int size, boolean cold, Runnable flood) {
        return new FetchPhases(phase(size, cold), emptyPhase(size), cold, flood, true);
    }

    /** For a run that counts nothing. */
    static FetchPhases dry(boolean cold, Runnable flood) {
        return new FetchPhases(PHASE_DRY, PHASE_DRY, cold, flood, true);
    }

    /**
     * For a run that marks nothing, but goes the way of one that does: rounds that were compiled without that way would
     * be thrown away where they first go it.
     */
    static FetchPhases unmarked(boolean cold) {
        return new FetchPhases(PHASE_DRY, PHASE_DRY, cold, () -> {}, false);
    }

    /** Sizes that phases can be told apart for. */
    static int sizesMax() {
        return (PHASE_DRY - PHASE_FIRST) / PHASES;
    }

    /** The phase of a size. */
    static int phase(int size, boolean cold) {
        return PHASE_FIRST + PHASES * size + (cold ? 1 : 0);
    }

    /** What as many rounds without operations cost as a size has cold ones: the marks. */
    static int emptyPhase(int size) {
        return PHASE_FIRST + PHASES * size + 2;
    }

    /**
     * Whether a phase is one of warm rounds, of some size. By these is judged what had compiled the code: cold rounds
     * hold their marks too, which are interpreted, and are taken off what they count.
     */
    static boolean isWarm(int phase) {
        return phase >= PHASE_FIRST && phase < PHASE_DRY && (phase - PHASE_FIRST) % PHASES == 0;
    }

    /** Rounds that count. */
    static int rounds(boolean cold) {
        return cold ? ROUNDS_COLD : ROUNDS_WARM;
    }

    @Override
    public void roundBegins() {
        int counted = round++ - ROUNDS_BEFORE;
        if (counted == 0 || counted == rounds(cold) || (cold && counted > 0 && counted < rounds(true))) {
            mark(counted);
        }
    }

    /** Inlined nowhere, see {@link #KEEP_COMPILED}. */
    private void mark(int counted) {
        if (!marks) {
            return;
        }
        if (counted == rounds(cold)) {
            Markers.phaseEnd(phase);
        } else if (cold) {
            // Side by side, so that both are equally compiled: some of it is interpreted for long.
            floodThenBegin(emptyPhase);
            floodThenBegin(phase);
        } else {
            SimulatedPhases.begin(phase);
        }
    }

    private void floodThenBegin(int begun) {
        SimulatedPhases.begin(PHASE_FLOOD);
        flood.run();
        Markers.phaseBegin(begun);
    }
}
