package dev.lockstep.engine.file;

import java.util.concurrent.CountDownLatch;

/** Waiting for engine threads to end. */
public final class EngineThreads {
    private EngineThreads() {}

    /** Waits for the latch; an interrupt does not end the wait, and the interrupt flag is kept. */
    public static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        try {
            // Ends when the latch opens. Each further turn is one interrupt.
            while (true) {
                try {
                    latch.await();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
