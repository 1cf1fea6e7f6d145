package dev.lockstep.scheduler;

/** Who goes first of those S-threads of a carrier that have waited and can go on (STEPS, 4.1.3). */
public enum SThreadPriority {
    /** Waits for its turn behind those that came before it, unless others wait for what it is in the middle of. */
    NORMAL,
    /**
     * Goes on before those of normal priority when it is new or its wait is over, also before the other members of a
     * team that a stray has just left, and has its turn to the end of the transaction that it then runs or begins. For
     * those who answer somebody beside much work that nobody waits for.
     */
    HIGH
}
