package dev.lockstep.scheduler;

/** When teams are formed. */
public enum TeamMode {
    /** For every operation, as in the paper. */
    ON,

    /**
     * For the operations that were measured to gain by it. Each operation starts without teams; now and then each is
     * tried, and keeps its teams if they take less time per operation than running alone ({@link Governor}).
     */
    GOVERNED,

    /** Never; S-threads run their operations straight through and share their carrier in turns of many operations. */
    OFF
}
