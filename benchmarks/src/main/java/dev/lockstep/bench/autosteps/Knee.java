package dev.lockstep.bench.autosteps;

/**
 * What makes a knee in the order in which STEPS misses occur (STEPS, 5.2).
 *
 * @param widthInstructions at most so many instructions lie between two consecutive misses of a knee
 * @param heightMisses so many of them make a knee
 */
record Knee(int widthInstructions, int heightMisses) {
    /** The paper's own choice (section 5.3). */
    static final Knee DEFAULT = new Knee(200, 4);

    /** Refuses what is no knee, with a sentence for the user. */
    Knee {
        if (widthInstructions < 1 || heightMisses < 1) {
            throw new IllegalArgumentException("a knee is at least 1 instruction wide and 1 miss high:"
                    + " widthInstructions=" + widthInstructions + " heightMisses=" + heightMisses);
        }
    }

    /** Misses of one segment at which it ends, however far apart they are: twice the height. */
    int missesPerSegmentMax() {
        return 2 * heightMisses;
    }
}
