package dev.lockstep.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Writes down all that it is told, in order; in the order of its calls where there are several carriers. */
public final class SequenceProbe implements OperationProbe {
    /** Without a lock: a virtual S-thread that waited for one would leave its carrier to wait behind it. */
    private static final Queue<String> TOLD = new ConcurrentLinkedQueue<>();

    private static final List<String> NAMES = new ArrayList<>(List.of("none"));

    /** For the service loader. */
    public SequenceProbe() {}

    /** To be asked when the scheduler has ended. */
    static List<String> told() {
        return List.copyOf(TOLD);
    }

    /** Something that happens between two calls. */
    static void note(String what) {
        SThread sThread = SThread.current();
        add(sThread, what);
    }

    @Override
    public synchronized int number(String name) {
        NAMES.add(name);
        return NAMES.size() - 1;
    }

    @Override
    public void begin(SThread sThread, int number) {
        add(sThread, "begin-" + NAMES.get(number));
    }

    @Override
    public void end(SThread sThread) {
        add(sThread, "end");
    }

    @Override
    public void left(SThread sThread) {
        add(sThread, "left");
    }

    @Override
    public void resumed(SThread sThread) {
        add(sThread, "resumed");
    }

    @Override
    public void entered(SThread sThread) {
        add(sThread, "entered");
    }

    @Override
    public void returned(SThread sThread) {
        add(sThread, "returned");
    }

    @Override
    public void doesWorkOf(SThread sThread, SThread owner, int number) {
        add(sThread, "does-" + NAMES.get(number) + "-of-" + owner.name());
    }

    @Override
    public void doesSharedWork(SThread sThread) {
        add(sThread, "shares");
    }

    private static void add(SThread sThread, String what) {
        TOLD.add(sThread.name() + ":" + what);
    }
}
