package dev.lockstep.tpcc.workload;

/**
 * What a thread of terminals does: turn after turn, until there are none left. Threads that can begin each turn on a
 * new stack call {@link #turn()}; the others do {@link #allTurns()}.
 */
@FunctionalInterface
public interface TerminalBody {
    /**
     * Does the next turn; throws nothing.
     *
     * @return whether there is another one
     */
    boolean turn();

    /** Does all turns. */
    default void allTurns() {
        boolean goesOn = true;
        // Ends with the last turn.
        while (goesOn) {
            goesOn = turn();
        }
    }
}
