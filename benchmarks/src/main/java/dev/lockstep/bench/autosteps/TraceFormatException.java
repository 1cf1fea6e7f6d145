package dev.lockstep.bench.autosteps;

/** A file is no trace of operations. The message is a sentence for the user. */
final class TraceFormatException extends Exception {
    private static final long serialVersionUID = 1;

    TraceFormatException(String message) {
        super(message);
    }
}
