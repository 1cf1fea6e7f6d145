package dev.lockstep.engine;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * The seeds of random tests. The system property {@code lockstep.test.seed} runs a test with one seed only: the one
 * that a failure has named.
 */
public final class Seeds {
    private static final String PROPERTY = "lockstep.test.seed";

    private Seeds() {}

    /** The seeds 1 to {@code count}, or the one of the system property. */
    public static long[] upTo(int count) {
        Long one = Long.getLong(PROPERTY);
        return one == null ? LongStream.rangeClosed(1, count).toArray() : new long[] {one};
    }

    /** Work with one seed. */
    @FunctionalInterface
    public interface Run {
        /** Does it. */
        void run(long seed) throws Exception;
    }

    /** Runs the work once with each seed; a failure names the seed. */
    public static void each(int count, Run work) {
        for (long seed : upTo(count)) {
            try {
                work.run(seed);
            } catch (Exception | AssertionError failure) {
                throw new AssertionError(
                        "seed=" + seed + " (replay with -D" + PROPERTY + "=" + seed + ") of "
                                + Arrays.toString(upTo(count)) + ": " + failure,
                        failure);
            }
        }
    }
}
