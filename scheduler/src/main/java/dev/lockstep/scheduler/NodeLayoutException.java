package dev.lockstep.scheduler;

/** A file does not describe the nodes of a machine, or cannot be read; the message says where and what would do. */
public final class NodeLayoutException extends RuntimeException {
    NodeLayoutException(String message) {
        super(message);
    }

    NodeLayoutException(String message, Throwable cause) {
        super(message, cause);
    }
}
