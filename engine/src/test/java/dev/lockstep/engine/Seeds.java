package dev.lockstep.engine;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * How much random tests try. The system property {@code lockstep.test.seed} runs a test with one seed only: the one
 * that a failure has named. {@code lockstep.test.times} runs all of them that many times as long, with further seeds or
 * points; by default they are as short as lets all tests end within a few minutes.
 */
public final class Seeds {
    private static final String PROPERTY = "lockstep.test.seed";

    private static final int TIMES = Integer.getInteger("lockstep.test.times", 1);

    private Seeds() {}

    /** How many points, records or other things to try, where the usual build tries so many. */
    public static int times(int count) {
        return count * TIMES;
    }

    /** The seeds 1 to so many {@link #times}, or the one of the system property. */
    public static long[] upTo(int count) {
        Long one = Long.getLong(PROPERTY);
        return one == null ? LongStream.rangeClosed(1, times(count)).toArray() : new long[] {one};
    }

    /** Work with one seed. */
    @FunctionalInterface
    public interface Run {
        /** Does it. */
        void run(long seed) throws Exception;
    }

    /** Runs the work once with each of so many seeds; a failure names the seed. */
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
