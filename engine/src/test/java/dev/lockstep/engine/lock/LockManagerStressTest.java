package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.DeadlockException;
import dev.lockstep.engine.InterruptedOperationException;
import dev.lockstep.engine.LockTimeoutException;
import dev.lockstep.scheduler.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/**
 * Many threads take a few locks in random order and modes, run into deadlocks, timeouts and interrupts, and check at
 * every step that those who hold a lock together may do so. Each thread's choices follow from the seed; how they
 * interleave does not.
 */
class LockManagerStressTest {
    private static final int NAMES = 16;
    private static final int LOCKS_PER_TRANSACTION_MAX = 4;
    /** Long enough that it is only reached if a wake-up was lost. */
    private static final long HANG_SECONDS = 900;

    private static final int[] MODES = {
        LockMode.S,
        LockMode.S,
        LockMode.S,
        LockMode.U,
        LockMode.X,
        LockMode.IS,
        LockMode.IX,
        LockMode.SIX,
        LockMode.KEY_S_GAP_S,
        LockMode.GAP_IX,
        LockMode.GAP_S,
        LockMode.KEY_X_GAP_X
    };

    /** Of tables mostly what readers and writers of keys take, so that they are open from time to time. */
    private static final int[] MODES_OF_TABLES = {
        LockMode.IS, LockMode.IS, LockMode.IS, LockMode.IX, LockMode.IX, LockMode.IX, LockMode.S, LockMode.X
    };

    private final LockManager manager = new LockManager(4);
    private int[] modes = MODES;
    /** By name and part of a mode, how many hold it now. */
    private final AtomicInteger[][] holders = new AtomicInteger[NAMES][LockMode.PARTS];
    /** Written under X, read under S; deliberately no volatile. */
    private final long[] left = new long[NAMES];

    private final long[] right = new long[NAMES];
    private final LongAdder written = new LongAdder();
    private final LongAdder committed = new LongAdder();
    private final LongAdder deadlocks = new LongAdder();
    private final LongAdder timeouts = new LongAdder();
    private final LongAdder interrupts = new LongAdder();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @Test
    void platformThreads() throws Exception {
        run(Thread.ofPlatform().daemon().factory(), 8, 5_000, 11);
    }

    @Test
    void virtualThreads() throws Exception {
        run(Thread.ofVirtual().factory(), 200, 100, 12);
    }

    @Test
    void tables() throws Exception {
        modes = MODES_OF_TABLES;
        run(Thread.ofPlatform().daemon().factory(), 8, 20_000, 13);
    }

    private void run(ThreadFactory factory, int threadCount, int transactions, long seed) throws Exception {
        for (AtomicInteger[] ofName : holders) {
            for (int part = 0; part < LockMode.PARTS; part++) {
                ofName[part] = new AtomicInteger();
            }
        }
        CountDownLatch running = new CountDownLatch(threadCount);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < threadCount; i++) {
            Random random = new Random(seed * 1_000_003 + i);
            long firstTransactionId = 1_000_000L * (i + 1);
            threads.add(factory.newThread(() -> {
                try {
                    work(random, firstTransactionId, transactions);
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                } finally {
                    running.countDown();
                }
            }));
        }
        threads.forEach(Thread::start);
        Random random = new Random(seed);
        long hang = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANG_SECONDS);
        while (!running.await(1, TimeUnit.MILLISECONDS) && failure.get() == null && System.nanoTime() - hang < 0) {
            threads.get(random.nextInt(threadCount)).interrupt();
            manager.validate();
        }
        assertNull(failure.get(), () -> "seed=" + seed + " " + failure.get());
        assertEquals(0, running.getCount(), () -> "threads hang: seed=" + seed + " " + manager.statistics());
        manager.validate();
        assertTrue(manager.isEmpty());
        LockStatistics statistics = manager.statistics();
        assertEquals(0, statistics.waiting());
        assertEquals(0, statistics.owners());
        assertEquals(deadlocks.sum(), statistics.deadlocks());
        assertEquals(timeouts.sum(), statistics.timeouts());
        assertEquals(interrupts.sum(), statistics.interrupts());
        assertEquals((long) threadCount * transactions, committed.sum());
        long sum = 0;
        for (int name = 0; name < NAMES; name++) {
            assertEquals(left[name], right[name]);
            sum += left[name];
        }
        assertEquals(written.sum(), sum);
        assertTrue(deadlocks.sum() > 0 && timeouts.sum() > 0, statistics::toString);
    }

    private long lockName(int name) {
        return modes == MODES_OF_TABLES ? LockName.ofTable(name) : name;
    }

    private void work(Random random, long firstTransactionId, int transactions) {
        try (LockOwner owner = new LockOwner(new Waiter())) {
            for (int i = 0; i < transactions; ) {
                owner.setTransactionId(firstTransactionId + i);
                try {
                    transaction(owner, random);
                    committed.increment();
                    i++;
                } catch (DeadlockException e) {
                    deadlocks.increment();
                } catch (LockTimeoutException e) {
                    timeouts.increment();
                } catch (InterruptedOperationException e) {
                    interrupts.increment();
                    Thread.interrupted();
                } finally {
                    for (int name = 0; name < NAMES; name++) {
                        leave(name, manager.heldMode(owner, lockName(name)));
                    }
                    manager.releaseAll(owner, 0);
                }
            }
        }
    }

    private void transaction(LockOwner owner, Random random) {
        int locks = 1 + random.nextInt(LOCKS_PER_TRANSACTION_MAX);
        for (int i = 0; i < locks; i++) {
            int name = random.nextInt(NAMES);
            int mode = modes[random.nextInt(modes.length)];
            int before = manager.heldMode(owner, lockName(name));
            long deadlineNanos =
                    random.nextInt(10) == 0 ? System.nanoTime() + random.nextInt(200_000) : Waiter.NO_DEADLINE;
            switch (random.nextInt(8)) {
                case 0 -> manager.tryLock(owner, lockName(name), mode);
                case 1 -> manager.lockInstant(owner, lockName(name), mode, deadlineNanos);
                default -> assertEquals(before, manager.lock(owner, lockName(name), mode, deadlineNanos));
            }
            int now = manager.heldMode(owner, lockName(name));
            enter(name, before, now);
            if (LockMode.keyPart(now) == LockMode.X) {
                left[name]++;
                if (random.nextInt(4) == 0) {
                    Thread.yield();
                }
                right[name]++;
                written.increment();
            } else if (LockMode.covers(now, LockMode.S)) {
                assertEquals(left[name], right[name]);
            }
            if (before == LockMode.NONE && random.nextInt(4) == 0 && !LockMode.permitsWriting(now)) {
                leave(name, now);
                assertEquals(now != LockMode.NONE, manager.unlock(owner, lockName(name)));
            }
        }
    }

    /** Counts the parts that were added, and checks that nobody else holds what conflicts with them. */
    private void enter(int name, int before, int now) {
        for (int part = 0; part < LockMode.PARTS; part++) {
            int had = LockMode.partsOf(before) >> part & 1;
            int has = LockMode.partsOf(now) >> part & 1;
            holders[name][part].addAndGet(has - had);
        }
        for (int part = 0; part < LockMode.PARTS; part++) {
            if ((LockMode.conflictsOf(now) >> part & 1) == 1) {
                int own = LockMode.partsOf(now) >> part & 1;
                int all = holders[name][part].get();
                int conflicting = part;
                assertTrue(
                        all <= own,
                        () -> LockMode.toString(now) + " beside " + (all - own) + " holders of part " + conflicting);
            }
        }
    }

    private void leave(int name, int mode) {
        for (int rest = LockMode.partsOf(mode); rest != 0; rest &= rest - 1) {
            holders[name][Integer.numberOfTrailingZeros(rest)].decrementAndGet();
        }
    }
}
