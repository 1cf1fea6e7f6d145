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

    /** What a round without operations costs after a flood: the marks. */
    static final int PHASE_EMPTY = 1;

    /** Code that fills the caches. */
    static final int PHASE_FLOOD = Markers.PHASE_MAX;

    /** What only has to be executed once before. */
    static final int PHASE_DRY = PHASE_FLOOD - 1;

    private static final int PHASE_FIRST = 2;

    private final int phase;
    private final boolean cold;
    private final Runnable flood;
    private int round;

    /**
     * For one run of one transaction for each member.
     *
     * @param flood executes more code than any simulated cache holds
     */
    FetchPhases(int phase, boolean cold, Runnable flood) {
        this.phase = phase;
        this.cold = cold;
        this.flood = flood;
    }

    /** Sizes that phases can be told apart for. */
    static int sizesMax() {
        return (PHASE_DRY - PHASE_FIRST) / 2;
    }

    /** The phase of a size. */
    static int phase(int size, boolean cold) {
        return PHASE_FIRST + 2 * size + (cold ? 1 : 0);
    }

    /** Rounds that count. */
    static int rounds(boolean cold) {
        return cold ? ROUNDS_COLD : ROUNDS_WARM;
    }

    @Override
    public void roundBegins() {
        int counted = round++ - ROUNDS_BEFORE;
        if (counted == rounds(cold)) {
            Markers.phaseEnd(phase);
        } else if (counted >= 0 && counted < rounds(cold)) {
            if (cold) {
                floodThenBegin();
            } else if (counted == 0) {
                SimulatedPhases.begin(phase);
            }
        }
    }

    private void floodThenBegin() {
        SimulatedPhases.begin(PHASE_FLOOD);
        flood.run();
        Markers.phaseBegin(phase);
    }

    /** Measures what the marks of cold rounds cost. */
    static void runEmpty(Runnable flood) {
        FetchPhases empty = new FetchPhases(PHASE_EMPTY, true, flood);
        for (int i = 0; i < ROUNDS; i++) {
            empty.roundBegins();
        }
    }
}
