package dev.lockstep.bench.simulate.validation;

import java.io.IOException;

/** A tool or a program that it ran failed; the message names the command and what it said. */
final class ToolException extends IOException {
    private static final long serialVersionUID = 1L;

    ToolException(String message) {
        super(message);
    }

    ToolException(String message, Throwable cause) {
        super(message, cause);
    }
}
