package dev.lockstep.scheduler;

import java.util.function.BooleanSupplier;

/** An ordinary virtual thread under an S-thread's name. It has no carrier of ours and never joins a team. */
final class PlainSThread extends SThread {
    private final Thread thread;

    PlainSThread(Scheduler scheduler, String name, BooleanSupplier round) {
        super(scheduler, null, name, round);
        thread = Thread.ofVirtual().name(name).unstarted(this::run);
    }

    @Override
    public SThreadKind kind() {
        return SThreadKind.PLAIN;
    }

    @Override
    public void interrupt() {
        thread.interrupt();
    }

    @Override
    public boolean isInterrupted() {
        return thread.isInterrupted();
    }

    @Override
    boolean clearInterrupt() {
        return Thread.interrupted();
    }

    @Override
    void begin() {
        thread.start();
    }

    @Override
    void mount() {
        throw new UnsupportedOperationException("a plain S-thread has no carrier: sThread=" + name());
    }

    @Override
    boolean giveUpCarrier() {
        return false;
    }

    @Override
    void giveUpCarrierUntilWoken(Waiter blocker) {
        throw new UnsupportedOperationException("a plain S-thread waits as a thread: sThread=" + name());
    }

    @Override
    void wake() {
        throw new UnsupportedOperationException("a plain S-thread waits as a thread: sThread=" + name());
    }

    private void run() {
        try {
            runRounds();
        } finally {
            scheduler.ended(this);
        }
    }
}
