package dev.lockstep.scheduler;

/** How the members of a team execute their operation. */
public enum TeamExecution {
    /** Each on its own stack, in turns at the switch points, as in the paper. */
    SWITCHING,

    /**
     * Each on its own stack, from the beginning to the end without a turn: those that the switch points inside ask for
     * are taken behind the operation. What {@link #SWITCHING} gains is what it does better than this with the same
     * switches (STEPS, 3.4.1: both systems execute them, one multiplexes, the other runs the threads serially).
     */
    SERIAL,

    /**
     * As {@link #SWITCHING}, and the turn passes where a member's operation ends. What a member executes of its own, up
     * to its next operation, then follows that of the members before, and not the operation: a first-level instruction
     * cache has to hold the operation or what lies between two, not both, at the price of a second switch for each
     * operation.
     */
    APART,

    /**
     * The stages of all by the member that comes first, in a loop on its stack: each member is suspended once per
     * operation. Members without a {@link StagedWork}, and what is left of the others' when they would have to wait,
     * execute as with {@link #SWITCHING}.
     */
    STAGED
}
