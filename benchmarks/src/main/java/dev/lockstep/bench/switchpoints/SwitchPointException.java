package dev.lockstep.bench.switchpoints;

import java.io.IOException;

/** Switch points that cannot be used. */
public final class SwitchPointException extends IOException {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    /** What is wrong with them. */
    public enum Reason {
        /** The file is of another kind or version, damaged, or cut short. */
        FORMAT,
        /** They were found in the code of another JVM. */
        JVM,
        /** A class is not the one that they were found in, or is not there. */
        CLASS,
        /** There is no such instruction. */
        PLACE,
        /** A latch, lock or monitor may be held there, or the scheduler itself runs. */
        HELD
    }

    SwitchPointException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Returns what is wrong. */
    public Reason reason() {
        return reason;
    }
}
