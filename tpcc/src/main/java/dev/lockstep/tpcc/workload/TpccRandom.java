package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.Text;

/**
 * The random generator of the workload: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom
 * Number Generators, 2014), and the random values of clause 4.3.2. Allocates nothing. Not thread-safe.
 */
public final class TpccRandom {
    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;
    private static final byte[] ALPHANUMERIC = new byte[64];

    static {
        String characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        for (int i = 0; i < ALPHANUMERIC.length; i++) {
            // 64 entries so that six random bits choose one; the first two characters come up twice as often.
            ALPHANUMERIC[i] = (byte) characters.charAt(i % characters.length());
        }
    }

    private long state;

    /** @param seed any value; equal seeds give equal sequences */
    public TpccRandom(long seed) {
        state = mix(seed);
    }

    /** A seed for one of many parts of a run, well apart from those of its neighbours. */
    public static long seed(long seed, long part) {
        return mix(seed + GOLDEN_GAMMA * (2 * part + 1));
    }

    /** 64 random bits. */
    public long nextLong() {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    /** A number from 0 to a bound, which is not included; the bias is below one in a million for bounds below 4,000. */
    public int below(int bound) {
        return (int) (((nextLong() >>> 32) * bound) >>> 32);
    }

    /** A number from {@code low} to {@code high}, both included. */
    public int between(int low, int high) {
        return low + below(high - low + 1);
    }

    /** Whether an event of a probability in percent happens. */
    public boolean percent(int percent) {
        return below(100) < percent;
    }

    /** A number from 0 to 1, which is not included. */
    public double nextDouble() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }

    /** NURand(A, low, high) of clause 2.1.6 with the constant C. */
    public int nonUniform(int a, int c, int low, int high) {
        return ((between(0, a) | between(low, high)) + c) % (high - low + 1) + low;
    }

    /** Fills a text with an a-string of random length (clause 4.3.2.2). */
    public void alphanumeric(Text text, int lengthMin, int lengthMax) {
        int length = between(lengthMin, lengthMax);
        byte[] bytes = text.own(length);
        long bits = 0;
        for (int i = 0; i < length; i++) {
            if (i % 10 == 0) {
                bits = nextLong();
            }
            bytes[i] = ALPHANUMERIC[(int) (bits & 63)];
            bits >>>= 6;
        }
    }

    /** Fills a text with an n-string (clause 4.3.2.2). */
    public void numeric(Text text, int length) {
        byte[] bytes = text.own(length);
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) ('0' + below(10));
        }
    }

    /** Fills a text with capital letters. */
    public void letters(Text text, int length) {
        byte[] bytes = text.own(length);
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) ('A' + below(26));
        }
    }

    /** Puts an array of ints into random order. */
    public void shuffle(int[] values) {
        for (int i = values.length - 1; i > 0; i--) {
            int j = below(i + 1);
            int value = values[i];
            values[i] = values[j];
            values[j] = value;
        }
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
