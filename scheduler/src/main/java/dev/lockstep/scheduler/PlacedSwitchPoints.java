package dev.lockstep.scheduler;

import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Switch points that stand in no source: an agent inserts calls of {@link #pass} into the bytecode of a program while
 * it is loaded (STEPS, section 5.3, leaves their insertion to tools). Each belongs to one operation and does nothing in
 * others. They work wherever teams do, whether the {@linkplain SThread#switchPoint() hand-placed points} are
 * {@linkplain SchedulerOptions#switchPointsOn() on} or off.
 *
 * <p>Thread-safety: {@link #pass} may be called by any thread; {@link #number} too, but a scheduler knows the points of
 * those operations only that had a number when they were registered with it.
 */
public final class PlacedSwitchPoints {
    /** What an operation has that no point belongs to. */
    static final int NONE = 0;

    /** Operations with points; the number of the first is 1. */
    private static final CopyOnWriteArrayList<String> OPERATIONS = new CopyOnWriteArrayList<>();

    private PlacedSwitchPoints() {}

    /**
     * Gives an operation the number that the calls of its points pass on. To be called before a scheduler registers the
     * operation.
     *
     * @param operation the name under which it is {@linkplain Scheduler#registerOperation registered}
     * @return the same number for the same name, above 0
     */
    public static int number(String operation) {
        OPERATIONS.addIfAbsent(operation);
        return find(operation);
    }

    /** The number of an operation that has points, else {@link #NONE}. */
    static int find(String operation) {
        return OPERATIONS.indexOf(operation) + 1;
    }

    /**
     * A point: where the S-thread runs this operation as a member of a team, the next member takes its turn. Does
     * nothing, in a few nanoseconds, on other threads, in other operations, outside an operation or a team and for a
     * stray; is skipped and counted while a latch is counted as held.
     *
     * @param number of the operation that the point belongs to
     */
    public static void pass(int number) {
        SThread sThread = SThread.current();
        if (sThread != null && sThread.member && isIn(sThread, number)) {
            sThread.carrier.switchPoint(sThread);
        }
    }

    /**
     * Returns whether an S-thread runs here that is inside an operation, in a team or not.
     *
     * @param number of the operation
     */
    public static boolean isIn(int number) {
        SThread sThread = SThread.current();
        return sThread != null && isIn(sThread, number);
    }

    private static boolean isIn(SThread sThread, int number) {
        return sThread.operating && sThread.scheduler.placedNumber(sThread.operation) == number;
    }
}
