package dev.lockstep.bench.indexfetch;

/** Is told where a team's round begins. */
@FunctionalInterface
interface RoundListener {
    /** Hears nothing. */
    RoundListener NONE = () -> {};

    /** All members have ended their operations of the round before, and none has begun another. */
    void roundBegins();
}
