package dev.lockstep.engine.log;

/**
 * Decides how many waiting threads a force of the log is to serve: group commit where it pays, none where it does not.
 *
 * <p>A force has a price, some hundred microseconds of processor time and of the disk, which all who wait share. So it
 * should begin late. But threads that have committed do nothing until it ends, so it should begin while there is still
 * as much work left as runs beside it. With N threads at work, f of which come to their commit while a force is under
 * way, the best moment is when N - f wait. Where f is N or more, the disk and not the processor sets the pace, and the
 * best a force can do is to serve all N.
 *
 * <p>Neither number is told, both are measured. f is the duration of a force over the time between two arrivals. N is
 * the number that waited at the end of a force, when all had time to come. If they came as fast as ever until then,
 * there are probably more, and the next force asks for some more than that. If fewer wait, the number falls slowly,
 * because it may only be that no processor was left for the others; but at once if it was waited for in vain. Whatever
 * is wrong about the estimates costs one commit {@link #patienceNanos} at most, and is put right by the next forces.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A thread that commits alone ({@code atWork <= 1}) is never held up.
 *   <li>{@code forceNanos} and {@code arrivalNanos} are moving means; 0 is: not known yet.
 * </ul>
 *
 * <p>Not thread-safe: belongs to the writer thread.
 */
final class LogGatherPolicy {
    /**
     * Most threads to wait for. A force that serves as many costs each of them less than a microsecond of processor
     * time; more would cost latency and gain nothing.
     */
    static final int GROUP_MAX = 256;

    /**
     * The longest a force is put off, whatever was expected: twice the 5 ms in which 256 threads come that take 20
     * microseconds each. A disk of the slow kind takes as long for a force, so a commit is never out of proportion.
     */
    static final long PATIENCE_NANOS_MAX = 10_000_000;

    /** What a gathering is expected to take at most; the rest of the patience is for expectations that are wrong. */
    private static final long EXPECTED_NANOS_MAX = PATIENCE_NANOS_MAX / 2;

    /**
     * How many times longer than expected to wait. A writer that is woken may have to wait for a processor for some
     * milliseconds, and transactions differ by a factor of ten; with 2, every tenth gathering of 100 terminals ended
     * too early and lowered the estimate.
     */
    private static final int PATIENCE_FACTOR = 4;

    /**
     * With fewer arrivals during a force than this nobody is waited for: commits are so rare that the force costs
     * little beside what is done between two of them.
     */
    private static final double ARRIVALS_DURING_FORCE_MIN = 0.25;

    /** The weight of the latest measurement in a mean is one in as many: forces differ by a factor of two or three. */
    private static final int MEAN_WEIGHT = 8;

    /** With that much of the expected arrivals during a force, the processor was busy until its end. */
    private static final double BUSY_PART = 0.75;

    /** When it was, as large a part of f more threads are asked for. If they do not exist, that part of f idles. */
    private static final double PROBE_PART = 0.25;

    private double forceNanos;
    private double arrivalNanos;
    private double atWork;

    private int waitingBegin;
    private long gatherBeginNanos;
    private long patienceNanos;

    /**
     * How many are to wait before the next force begins.
     *
     * @param waiting how many wait already
     * @return as many or fewer if it shall begin now
     */
    int groupSize(int waiting) {
        double during = arrivalsDuringForce();
        if (atWork < 2 || during < ARRIVALS_DURING_FORCE_MIN) {
            return waiting;
        }
        double group = during >= atWork ? atWork : atWork - during;
        double inTime = waiting + EXPECTED_NANOS_MAX / arrivalNanos;
        return (int) Math.min(Math.min(group, inTime), GROUP_MAX);
    }

    /** How long to wait for that many at most. */
    long patienceNanos(int waiting, int groupSize) {
        double expected = PATIENCE_FACTOR * arrivalNanos * (groupSize - waiting) + forceNanos;
        patienceNanos = (long) Math.min(expected, PATIENCE_NANOS_MAX);
        return patienceNanos;
    }

    /** Notes that gathering begins, with so many that wait already. */
    void gatherBegins(long nowNanos, int waiting) {
        gatherBeginNanos = nowNanos;
        waitingBegin = waiting;
    }

    /** Notes that it has ended, with so many that wait now. */
    void gatherEnds(long nowNanos, int waiting) {
        if (nowNanos - gatherBeginNanos >= patienceNanos) {
            atWork = Math.min(atWork, waiting);
        }
        // If nobody came, they come at most once in such a time.
        int arrivals = Math.max(waiting - waitingBegin, 1);
        arrivalNanos = mean(arrivalNanos, (double) (nowNanos - gatherBeginNanos) / arrivals);
    }

    /**
     * Notes a force.
     *
     * @param nanos how long it took
     * @param waitingBefore how many waited when it began
     * @param waitingAfter how many waited when it ended, those that it serves included
     */
    void forced(long nanos, int waitingBefore, int waitingAfter) {
        forceNanos = mean(forceNanos, (double) nanos);
        int arrivals = waitingAfter - waitingBefore;
        if (arrivals > 0 && (arrivalNanos == 0 || arrivals > arrivalsDuringForce())) {
            arrivalNanos = mean(arrivalNanos, (double) nanos / arrivals);
        }
        double during = arrivalsDuringForce();
        boolean busy = arrivals > 0 && arrivals >= BUSY_PART * during;
        double seen = busy ? waitingAfter + PROBE_PART * during + 1 : waitingAfter;
        atWork = seen > atWork ? seen : mean(atWork, seen);
    }

    private double arrivalsDuringForce() {
        return arrivalNanos == 0 ? 0 : forceNanos / arrivalNanos;
    }

    private static double mean(double mean, double latest) {
        return mean == 0 ? latest : mean + (latest - mean) / MEAN_WEIGHT;
    }
}
