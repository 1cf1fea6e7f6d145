package dev.lockstep.bench.prove.disk;

/** A run did something else than the one before it, so that its point was not met. */
final class OtherRunException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OtherRunException(String message) {
        super(message);
    }
}
