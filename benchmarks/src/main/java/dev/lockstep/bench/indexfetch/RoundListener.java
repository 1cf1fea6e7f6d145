package dev.lockstep.bench.indexfetch;

/** Is told where a team's round begins. */
interface RoundListener {
    /** Hears nothing. */
    RoundListener NONE = new RoundListener() {
        @Override
        public void roundBegins() {}

        @Override
        public void operationBegins() {}
    };

    /** All members have ended their operations of the round before, and none has begun another. */
    void roundBegins();

    /** An operation that runs alone is about to begin. */
    void operationBegins();
}
