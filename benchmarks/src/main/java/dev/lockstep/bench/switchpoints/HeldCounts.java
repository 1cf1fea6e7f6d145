package dev.lockstep.bench.switchpoints;

import dev.lockstep.scheduler.PlacedSwitchPoints;
import dev.lockstep.scheduler.SThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * What the checking mode counts: latches, locks and monitors that a thread or S-thread holds, whoever has taken them,
 * and at which switch points it holds any. Called by code that {@link HeldCountInserter} has inserted. A checked
 * program does not switch at its points, so that a wrong one does not stop it.
 *
 * <p>Thread-safety: any thread may call the methods; each counts for itself.
 */
public final class HeldCounts {
    private static final ThreadLocal<Count> OF_THREAD = ThreadLocal.withInitial(Count::new);

    private static volatile AtomicIntegerArray passed = new AtomicIntegerArray(0);
    private static volatile AtomicIntegerArray held = new AtomicIntegerArray(0);

    private static final Queue<String> UNCOUNTED = new ConcurrentLinkedQueue<>();

    /** Of one thread or S-thread. */
    private static final class Count {
        /** Monitors entered before so many are gone through for those that were left. */
        private static final int MONITORS_MAX = 64;

        private int value;
        private final List<Object> monitors = new ArrayList<>();

        void enter(Object monitor) {
            if (monitors.size() >= MONITORS_MAX) {
                forgetThoseLeft();
            }
            monitors.add(monitor);
        }

        boolean holdsAny() {
            forgetThoseLeft();
            return value > 0 || !monitors.isEmpty();
        }

        private void forgetThoseLeft() {
            monitors.removeIf(monitor -> !Thread.holdsLock(monitor));
        }
    }

    private HeldCounts() {}

    /** Begins anew, for so many points. */
    static void reset(int points) {
        passed = new AtomicIntegerArray(points);
        held = new AtomicIntegerArray(points);
        UNCOUNTED.clear();
    }

    /** A class could not be changed, so that what it takes is not seen. */
    static void notCounted(String className) {
        UNCOUNTED.add(className);
    }

    /** A latch or lock was taken. */
    public static void taken() {
        count().value++;
    }

    /** A monitor was entered. Whether it is still held is asked of the JVM. */
    public static void entered(Object monitor) {
        count().enter(monitor);
    }

    /** Something was tried, and perhaps taken. */
    public static void takenIf(boolean taken) {
        if (taken) {
            count().value++;
        }
    }

    /** Something was given back. What was taken before the counting began is not known, and not below 0. */
    public static void givenBack() {
        Count count = count();
        count.value = Math.max(0, count.value - 1);
    }

    /**
     * A switch point.
     *
     * @param operation its number, from {@link PlacedSwitchPoints#number}
     * @param point its index in the file
     */
    public static void pass(int operation, int point) {
        if (PlacedSwitchPoints.isIn(operation)) {
            passed.incrementAndGet(point);
            if (count().holdsAny() || SThread.current().latchesHeld() > 0) {
                held.incrementAndGet(point);
            }
        }
    }

    /** What was counted so far. */
    static CheckReport report() {
        return new CheckReport(list(passed), list(held), List.copyOf(UNCOUNTED));
    }

    private static List<Integer> list(AtomicIntegerArray counts) {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < counts.length(); i++) {
            list.add(counts.get(i));
        }
        return list;
    }

    private static Count count() {
        SThread sThread = SThread.current();
        if (sThread == null) {
            return OF_THREAD.get();
        }
        Count count = sThread.attachment(Count.class);
        if (count == null) {
            count = new Count();
            sThread.attach(count);
        }
        return count;
    }
}
