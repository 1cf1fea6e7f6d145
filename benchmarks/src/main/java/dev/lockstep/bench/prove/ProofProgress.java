package dev.lockstep.bench.prove;

/** Is told how a proof gets on. */
@FunctionalInterface
public interface ProofProgress {
    /** For those who do not want to know. */
    ProofProgress NONE = (done, total, activity) -> {};

    /**
     * Something was done.
     *
     * @param done points so far, or seconds where a proof goes by time
     * @param total of how many; 0 if unknown
     * @param activity what comes next, in a few words; the empty string where that says nothing
     */
    void step(long done, long total, String activity);
}
