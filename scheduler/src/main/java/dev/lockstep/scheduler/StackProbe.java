package dev.lockstep.scheduler;

/**
 * Makes a stack overflow happen before a change rather than in the middle of it.
 *
 * <p>The JVM checks for overflow where a method is entered. Nested calls that succeed prove that as much stack is left
 * as they took, so a change whose own calls take less runs to its end. Application code may overflow its stack
 * anywhere, also in the calls it makes to us, and the lists that S-threads share must survive that. A {@link
 * Waiter#signal()} asks its caller for stack instead.
 *
 * <p>Thread-safety: none; each carrier has one, so that they do not share a cache line.
 */
final class StackProbe {
    /**
     * Nested calls. Compiled by C2, which inlines every second one, a call takes some 60 bytes, so this is about 4 KB;
     * interpreted it is three times that. Changes to lists, teams and timers, with variable handles interpreted, take
     * under 3 KB. It costs about half a
     * switch, and is done once per team, and where a straight operation finds that somebody has arrived.
     */
    static final int DEPTH = 64;

    private static final long SEED = 0x9E3779B97F4A7C15L;

    /** Keeps the JIT compiler from dropping the calls. */
    @SuppressWarnings("unused")
    private long result;

    StackProbe() {}

    /**
     * Returns if there is enough stack left to change lists and teams. To be called by code on an S-thread's stack, of
     * unknown depth, before it changes what S-threads share.
     *
     * @throws StackOverflowError if not
     */
    void reserve() {
        result = nest(DEPTH, SEED, SEED + 1, SEED + 2, SEED + 3, SEED + 4, SEED + 5);
    }

    /** Six values that are needed after the call must be kept in its frame. */
    private static long nest(int depth, long a, long b, long c, long d, long e, long f) {
        if (depth == 0) {
            return a ^ b ^ c ^ d ^ e ^ f;
        }
        long below = nest(depth - 1, b + depth, c ^ a, d + b, e ^ c, f + d, a ^ e);
        return below + a + (b ^ below) + (c & below) + (d ^ e) + f;
    }
}
