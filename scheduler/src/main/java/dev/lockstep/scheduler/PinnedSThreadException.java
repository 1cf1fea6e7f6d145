package dev.lockstep.scheduler;

/**
 * An S-thread of kind {@link SThreadKind#CONTINUATION} had to wait, but its stack holds something that binds it to
 * its carrier, so that waiting would have blocked every S-thread of that carrier.
 */
public final class PinnedSThreadException extends IllegalStateException {
    PinnedSThreadException(SThread sThread, String reason) {
        super("S-thread cannot be suspended: sThread=" + sThread.name() + " reason=" + reason
                + "; remedy: hold no monitor, native frame or class initializer around a database call, or use"
                + " S-threads of kind " + SThreadKind.VIRTUAL);
    }
}
