package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.simulate.jvm.SimulatedPhases;
import dev.lockstep.bench.simulate.jvm.StraightCode;
import dev.lockstep.counters.Markers;
import java.util.function.IntUnaryOperator;

/**
 * A Java program of known footprint: a round calls {@value #METHODS} generated methods of straight arithmetic, each too
 * large to be inlined, which compile to about 70 KB of code, and reads {@value #READS} pseudo-random words of 256 KB.
 * Nothing is allocated once it runs. Its arguments are the number of rounds, which it marks as the measured phase, and
 * of those before, none if it is left out.
 */
final class JvmWork {
    /** With their steps, twice what most L1-I hold. */
    static final int METHODS = 48;

    /** Of a method; each takes about 14 bytes of bytecode, so that no method is small enough to be inlined. */
    private static final int STEPS = 60;

    private static final int DATA_WORDS = 1 << 16;
    private static final int READS = 4096;
    private static final int GENERATOR_MULTIPLIER = 1_664_525;
    private static final int GENERATOR_INCREMENT = 1_013_904_223;
    private static final int HIGH_BITS_SHIFT = 16;

    private JvmWork() {}

    /**
     * Runs the rounds and prints a number that depends on all of them.
     *
     * @param arguments the number of rounds in the phase, and before it
     */
    public static void main(String[] arguments) {
        long rounds = Long.parseLong(arguments[0]);
        long before = arguments.length > 1 ? Long.parseLong(arguments[1]) : 0;
        int[] data = new int[DATA_WORDS];
        for (int i = 0; i < data.length; i++) {
            data[i] = i;
        }
        IntUnaryOperator steps = StraightCode.make(METHODS, STEPS);
        int state = run(before, steps, data, 1);
        SimulatedPhases.begin(Markers.PHASE_MEASURED);
        state = run(rounds, steps, data, state);
        Markers.phaseEnd(Markers.PHASE_MEASURED);
        System.out.println(state);
    }

    private static int run(long rounds, IntUnaryOperator steps, int[] data, int seed) {
        int state = seed;
        for (long round = 0; round < rounds; round++) {
            state = read(data, steps.applyAsInt(state));
        }
        return state;
    }

    /** Reads words that a linear congruential generator picks, whose low bits are the least random. */
    private static int read(int[] data, int seed) {
        int state = seed;
        int sum = 0;
        for (int i = 0; i < READS; i++) {
            state = state * GENERATOR_MULTIPLIER + GENERATOR_INCREMENT;
            sum += data[(state >>> HIGH_BITS_SHIFT) & (DATA_WORDS - 1)];
        }
        return state ^ sum;
    }
}
