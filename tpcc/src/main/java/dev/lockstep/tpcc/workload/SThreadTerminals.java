package dev.lockstep.tpcc.workload;

import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.WaitReason;
import dev.lockstep.scheduler.Waiter;
import java.util.List;
import java.util.Locale;

/** Terminals on the S-threads of a scheduler. */
public final class SThreadTerminals implements TerminalThreads {
    /** Carriers take S-threads in turn. */
    private static final int ANY_CARRIER = -1;

    private final Scheduler scheduler;
    private final String name;

    /**
     * Uses a scheduler, which the caller closes.
     *
     * @param scheduler runs the terminals
     */
    public SThreadTerminals(Scheduler scheduler) {
        this.scheduler = scheduler;
        name = "S-threads, " + scheduler.options().kind().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void start(List<? extends Runnable> bodies) {
        for (int i = 0; i < bodies.size(); i++) {
            scheduler.start("terminal-" + i, ANY_CARRIER, bodies.get(i));
        }
    }

    @Override
    public boolean endTurnsThemselves() {
        return true;
    }

    @Override
    public void giveWay() {
        SThread.current().transactionBoundary();
    }

    @Override
    public void pause(long nanos) {
        Waiter waiter = new Waiter();
        waiter.prepare();
        waiter.await(InstalledTime.nanoTime() + nanos, WaitReason.OTHER);
    }
}
