package dev.lockstep.bench.simulate;

/** A simulation that cannot be made, or failed; the message is one sentence for the user that says what would help. */
public final class SimulationException extends Exception {
    private static final long serialVersionUID = 1;

    /** With a sentence for the user. */
    public SimulationException(String message) {
        super(message);
    }

    /** With a sentence for the user, and what it comes from. */
    public SimulationException(String message, Throwable cause) {
        super(message, cause);
    }
}
