package dev.lockstep.bench.jmh;

import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.lock.LockOwner;
import dev.lockstep.scheduler.Waiter;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Locks that nobody else wants. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class LockBenchmark {
    private static final int STRIPES = 64;
    private static final int LOCKS = 30;
    private static final int KEY_BYTES = 12;

    private final LockManager manager = new LockManager(STRIPES);
    private final LockOwner owner = new LockOwner(new Waiter());
    private final long[] names = new long[LOCKS];

    /** For JMH. */
    public LockBenchmark() {}

    /** Names the locks. */
    @Setup
    public void name() {
        byte[] key = new byte[KEY_BYTES];
        for (int i = 0; i < LOCKS; i++) {
            key[KEY_BYTES - 1] = (byte) i;
            names[i] = LockName.ofKey(1, key, 0, KEY_BYTES);
        }
        owner.setTransactionId(1);
    }

    /** Nothing is left behind. */
    @TearDown
    public void check() {
        manager.validate();
        if (!manager.isEmpty()) {
            throw new IllegalStateException("locks are left locks=" + manager.statistics());
        }
        owner.close();
    }

    /** Takes a lock and releases it; time is for both, in a transaction of thirty. */
    @Benchmark
    @OperationsPerInvocation(LOCKS)
    public int lockAndRelease() {
        for (int i = 0; i < LOCKS; i++) {
            manager.lock(owner, names[i], LockMode.KEY_X, Long.MAX_VALUE);
        }
        int held = owner.heldCount();
        manager.releaseAll(owner, 0);
        return held;
    }
}
