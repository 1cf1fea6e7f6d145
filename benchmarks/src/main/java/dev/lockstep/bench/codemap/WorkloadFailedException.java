package dev.lockstep.bench.codemap;

/** A workload that did not end well; the message is for the user. */
final class WorkloadFailedException extends Exception {
    private static final long serialVersionUID = 1;

    WorkloadFailedException(String message) {
        super(message);
    }
}
