package dev.lockstep.bench.tpcc;

import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.WaitReason;
import dev.lockstep.scheduler.Waiter;
import dev.lockstep.tpcc.workload.TerminalThreads;

/** Terminals on S-threads, which take turns on the carriers. */
record OnSThreads(Scheduler scheduler) implements TerminalThreads {
    private static final int ANY_CARRIER = -1;

    @Override
    public String name() {
        return Spelling.of(scheduler.options().kind());
    }

    @Override
    public void start(int index, Runnable body) {
        scheduler.start("terminal-" + index, ANY_CARRIER, body);
    }

    @Override
    public void pause(long nanos) {
        Waiter waiter = new Waiter();
        waiter.prepare();
        waiter.await(System.nanoTime() + nanos, WaitReason.OTHER);
    }
}
