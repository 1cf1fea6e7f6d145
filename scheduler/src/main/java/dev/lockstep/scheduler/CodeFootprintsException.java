package dev.lockstep.scheduler;

import java.io.IOException;

/** A file holds no {@link CodeFootprints} that can be read. */
public final class CodeFootprintsException extends IOException {
    CodeFootprintsException(String message) {
        super(message);
    }
}
