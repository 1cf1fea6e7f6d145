package dev.lockstep.bench.autosteps;

/** A program could not be traced. */
class RecordingException extends Exception {
    private static final long serialVersionUID = 1;

    /** With a sentence for the user. */
    RecordingException(String message) {
        super(message);
    }

    /** With a sentence for the user, and what it comes from. */
    RecordingException(String message, Throwable cause) {
        super(message, cause);
    }
}
