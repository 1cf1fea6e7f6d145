package dev.lockstep.bench;

import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.counters.NativePart;
import java.nio.file.Path;
import org.opentest4j.TestAbortedException;

/** What tests need and a machine may not have: each says NOT RUN with the reason, and is told as skipped. */
public final class Needed {
    private Needed() {}

    /** Says that a test cannot run here; to be thrown by it. */
    public static TestAbortedException missing(String reason) {
        String message = "NOT RUN: " + reason;
        System.out.println(message);
        return new TestAbortedException(message);
    }

    /** Ends a test where what it needs is not there. */
    public static void require(boolean there, String reason) {
        if (!there) {
            throw missing(reason);
        }
    }

    /** Ends a test that needs user-mode QEMU where it is not there. */
    public static void requireEmulator() {
        require(Simulator.qemu().isPresent(), Simulator.missing());
    }

    /** Returns the file of a native part; ends a test where it is not there. */
    public static Path require(NativePart part) {
        return switch (part.find()) {
            case NativePart.Result.Available(Path file) -> file;
            case NativePart.Result.Missing(String reason) -> throw missing(reason);
        };
    }

    /** Ends a test that needs QEMU with the simulator's plugin where one of the two is not there. */
    public static void requireSimulator() {
        requireEmulator();
        require(NativePart.SIMULATOR);
    }
}
