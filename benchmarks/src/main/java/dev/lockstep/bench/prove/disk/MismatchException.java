package dev.lockstep.bench.prove.disk;

/** A database holds something else than it must. */
final class MismatchException extends RuntimeException {
    private static final long serialVersionUID = 1;

    MismatchException(String message) {
        super(message);
    }

    MismatchException(String message, Throwable cause) {
        super(message, cause);
    }
}
