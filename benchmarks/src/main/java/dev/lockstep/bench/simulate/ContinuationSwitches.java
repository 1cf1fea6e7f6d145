package dev.lockstep.bench.simulate;

import java.util.Locale;

/**
 * How often a simulated JVM froze the stack of a continuation, and thawed one, in the phase that is reported, on
 * threads that are simulated. Each switch of a continuation, of a virtual thread too, is a freeze and a thaw at least:
 * what was frozen together is thawed by parts as its frames are returned to. HotSpot copies the frames at once where
 * all of them are compiled, and one by one, the slow way, where any is interpreted. It also thaws slowly what the
 * collector has gone through or moved to the old generation, and freezes into new memory after that. Immutable.
 *
 * @param freezes that copied a stack, or tried to in the slow way; a continuation that was pinned before that is none
 * @param slowFreezes of these, in the slow way
 * @param newChunks of these, at once, but into memory that had to be allocated for it
 * @param thaws of all frames or of those on top
 * @param slowThaws of these, in the slow way
 * @param notCounted why nothing was counted, or empty; the counts are 0 then and mean nothing
 */
public record ContinuationSwitches(
        long freezes, long slowFreezes, long newChunks, long thaws, long slowThaws, String notCounted) {
    /**
     * Where they could not be counted.
     *
     * @param reason why, with the remedy
     */
    public static ContinuationSwitches notCounted(String reason) {
        return new ContinuationSwitches(0, 0, 0, 0, 0, reason);
    }

    /** What was counted, or why nothing was, in a sentence. */
    public String sentence() {
        if (!notCounted.isEmpty()) {
            return "Continuations: not counted: " + notCounted;
        }
        if (freezes + thaws == 0) {
            return "Continuations: none was frozen or thawed.";
        }
        return String.format(
                Locale.ROOT,
                "Continuations: %,d freezes, %s, %,d into new memory; %,d thaws, %s.",
                freezes,
                slow(slowFreezes, freezes),
                newChunks,
                thaws,
                slow(slowThaws, thaws));
    }

    private static String slow(long slow, long all) {
        return slow == 0
                ? "none of them slow"
                : String.format(Locale.ROOT, "%,d of them slow (1 in %,d)", slow, Math.round((double) all / slow));
    }
}
