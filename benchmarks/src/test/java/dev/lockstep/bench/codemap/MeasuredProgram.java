package dev.lockstep.bench.codemap;

import dev.lockstep.counters.Markers;

/** The main class of a JVM that marks a measured phase, in which what runs has run before. */
final class MeasuredProgram {
    private static final int ROUNDS = 600;
    private static final int STEPS = 200_000;
    private static final int SHIFT = 13;

    private MeasuredProgram() {}

    /**
     * Runs it.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        long sum = rounds();
        Markers.phaseBegin(Markers.PHASE_MEASURED);
        sum += rounds();
        Markers.phaseEnd(Markers.PHASE_MEASURED);
        System.out.println(sum);
    }

    private static long rounds() {
        long sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            sum = mixed(sum);
        }
        return sum;
    }

    private static long mixed(long seed) {
        long mixed = seed;
        for (int step = 0; step < STEPS; step++) {
            mixed ^= mixed << SHIFT ^ step;
        }
        return mixed;
    }
}
