package dev.lockstep.bench.prove;

import dev.lockstep.engine.BusyException;
import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.DelegatingAdapter;
import dev.lockstep.tpcc.adapter.DelegatingSession;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.AtomicHistogram;

/**
 * An engine that is watched: how long its transactions take that were let in, from begin to the return of the commit,
 * and how many it refused as busy. Who was refused stays away for a while, longer each time: clients that come again
 * at once would take the processor from those who were let in. Leaves the engine open. Thread-safe.
 */
final class AttemptRecorder extends DelegatingAdapter {
    private static final long NANOS_MAX = 60_000_000_000L;
    private static final int DIGITS = 2;
    private static final double NANOS_PER_MICRO = 1_000;
    private static final double HALF = 50;
    private static final double MOST = 99;

    /** A few transactions long. */
    private static final long PAUSE_NANOS_MIN = 1_000_000;

    /** After this many refusals in a row the pause does not grow any more: 64 ms. */
    private static final int PAUSE_DOUBLINGS_MAX = 6;

    private final AtomicHistogram nanos = new AtomicHistogram(1, NANOS_MAX, DIGITS);
    private final LongAdder busy = new LongAdder();

    AttemptRecorder(TpccAdapter engine) {
        super(engine);
    }

    @Override
    public AbortReason retryReason(RuntimeException failure) {
        if (failure instanceof BusyException) {
            busy.increment();
            return AbortReason.BUSY;
        }
        return super.retryReason(failure);
    }

    @Override
    public TpccSession openSession() {
        return new DelegatingSession(super.openSession()) {
            private long beganNanos;
            private int refusals;

            @Override
            public void begin(TransactionType type) {
                beganNanos = System.nanoTime();
                try {
                    super.begin(type);
                    refusals = 0;
                } catch (BusyException busyNow) {
                    LockSupport.parkNanos(PAUSE_NANOS_MIN << Math.min(refusals++, PAUSE_DOUBLINGS_MAX));
                    throw busyNow;
                }
            }

            @Override
            public void commit() {
                super.commit();
                nanos.recordValue(Math.min(System.nanoTime() - beganNanos, NANOS_MAX));
            }
        };
    }

    /** Transactions that were refused. */
    long busyCount() {
        return busy.sum();
    }

    /** What half of the others took at most, in microseconds. */
    double micros50() {
        return nanos.getValueAtPercentile(HALF) / NANOS_PER_MICRO;
    }

    /** What 99 of 100 of the others took at most, in microseconds. */
    double micros99() {
        return nanos.getValueAtPercentile(MOST) / NANOS_PER_MICRO;
    }
}
