package dev.lockstep.tpcc.workload;

import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.util.function.BooleanSupplier;

/** Keying and think times of clause 5.2.5: a fixed keying time and a negative exponential think time by type. */
public final class UserDelays {
    private static final long[] KEYING_SECONDS = {18, 3, 2, 2, 2};
    private static final long[] THINK_SECONDS_MEAN = {12, 12, 10, 5, 5};

    /** Think times are cut off at this multiple of their mean (clause 5.2.5.4). */
    private static final int THINK_MULTIPLE_MAX = 10;

    /** A terminal looks this often whether the run has stopped. */
    private static final long PAUSE_NANOS_MAX = 250_000_000;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** The longest that a user can take between two transactions, in nanoseconds. */
    public static final long NANOS_MAX = (18 + THINK_MULTIPLE_MAX * 12) * NANOS_PER_SECOND;

    /** The keying time of a type in seconds. */
    public static long keyingSeconds(TransactionType type) {
        return KEYING_SECONDS[type.ordinal()];
    }

    /** The same in nanoseconds. */
    long keyingNanos(TransactionType type) {
        return keyingSeconds(type) * NANOS_PER_SECOND;
    }

    /** A think time of a type in nanoseconds. */
    long thinkNanos(TransactionType type, TpccRandom random) {
        double multiple = Math.min(-Math.log(1 - random.nextDouble()), THINK_MULTIPLE_MAX);
        return (long) (multiple * THINK_SECONDS_MEAN[type.ordinal()] * NANOS_PER_SECOND);
    }

    /** Pauses the calling terminal before a transaction that was admitted, or until the run stops. */
    void key(TerminalThreads threads, RunControl control, long nanos) {
        pause(threads, () -> control.phase() != RunControl.STOP, nanos);
    }

    /** Pauses the calling terminal behind a transaction, or until no other would be admitted. */
    void think(TerminalThreads threads, RunControl control, long nanos) {
        pause(threads, control::admitsMore, nanos);
    }

    private static void pause(TerminalThreads threads, BooleanSupplier goesOn, long nanos) {
        long start = InstalledTime.nanoTime();
        long left = nanos;
        while (left > 0 && goesOn.getAsBoolean()) {
            threads.pause(Math.min(left, PAUSE_NANOS_MAX));
            left = nanos - (InstalledTime.nanoTime() - start);
        }
    }
}
