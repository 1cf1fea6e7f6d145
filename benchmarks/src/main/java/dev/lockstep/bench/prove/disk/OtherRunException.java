package dev.lockstep.bench.prove.disk;

/** A workload did something else than in the recorded run, so that its point was not met. */
final class OtherRunException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OtherRunException(String message) {
        super(message);
    }
}
