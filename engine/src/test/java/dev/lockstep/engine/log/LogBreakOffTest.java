package dev.lockstep.engine.log;

import static dev.lockstep.engine.log.LogRecordLayout.LSN_FIRST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.scheduler.Waiter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The log ends while somebody holds the latch of its tail, and the database is marked failed. */
class LogBreakOffTest {
    private static final long SEED = 90_125L;

    private final LogFixture fixture = new LogFixture(SEED);
    private final LogRecordBuffer buffer = new LogRecordBuffer();
    private volatile boolean isFailed;

    /**
     * Keeps one thread for as long as the test likes where it asks for the time, as the first append after an idle time
     * does with the tail's latch. Parks for a time return at once.
     */
    private static final class HoldingClock implements LogClock {
        private final boolean passesWithParks;
        private final AtomicLong now = new AtomicLong(1_000_000);
        private final AtomicInteger timedParkCount = new AtomicInteger();
        private final CountDownLatch release = new CountDownLatch(1);
        private volatile boolean isAsleep;
        private volatile boolean isHolding;
        private volatile Thread held;

        HoldingClock(boolean passesWithParks) {
            this.passesWithParks = passesWithParks;
        }

        void holdCaller() {
            held = Thread.currentThread();
        }

        @Override
        public long nanoTime() {
            if (Thread.currentThread() == held) {
                isHolding = true;
                try {
                    release.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return now.get();
        }

        @Override
        public void park(long nanos) {
            if (nanos == UNTIL_SIGNALLED) {
                isAsleep = true;
                LockSupport.park(this);
                return;
            }
            timedParkCount.incrementAndGet();
            if (passesWithParks) {
                now.addAndGet(nanos);
            } else {
                Thread.yield();
            }
        }
    }

    private static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.yield();
        }
    }

    private Log open(HoldingClock clock) {
        return Log.open(
                fixture.storage,
                LogFixture.DIRECTORY,
                LogFixture.DATABASE_ID,
                LogFixture.small(LogOptions.async()).withClock(clock),
                LSN_FIRST,
                FailureListener.IGNORE,
                () -> {
                    if (isFailed) {
                        throw new IllegalStateException("marked failed");
                    }
                });
    }

    /** Has a thread append and be held there, another wait for its record, and the log's writer fail meanwhile. */
    private Future<?> failBesideAHolder(Log log, HoldingClock clock, ExecutorService threads) {
        until(() -> clock.isAsleep);
        threads.execute(() -> {
            clock.holdCaller();
            log.append(LogFixture.record(new LogRecordBuffer(), 1, 40));
        });
        until(() -> clock.isHolding);
        Future<?> wait = threads.submit(
                () -> assertThrows(DatabaseFailedException.class, () -> log.awaitDurable(LSN_FIRST, new Waiter())));
        isFailed = true;
        until(() -> log.failure() != null);
        return wait;
    }

    @Test
    void theTailIsClosedOnceItsHolderGoesOn() throws ExecutionException, InterruptedException {
        HoldingClock clock = new HoldingClock(false);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Log log = open(clock)) {
            Future<?> wait = failBesideAHolder(log, clock, threads);
            until(() -> clock.timedParkCount.get() > 0 || wait.isDone());
            clock.release.countDown();
            wait.get();
            assertThrows(DatabaseFailedException.class, () -> log.append(LogFixture.record(buffer, 2, 40)));
            assertEquals("marked failed", log.failure().getMessage());
        }
    }

    @Test
    void anAppendFailsThoughTheTailCouldNotBeClosed() throws ExecutionException, InterruptedException {
        HoldingClock clock = new HoldingClock(true);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Log log = open(clock)) {
            Future<?> wait = failBesideAHolder(log, clock, threads);
            wait.get();
            clock.release.countDown();
            assertThrows(DatabaseFailedException.class, () -> {
                // Ends because the ring has no room for it all.
                for (int i = 0; i < LogOptions.BUFFER_BYTES_MIN; i++) {
                    log.append(LogFixture.record(buffer, i, 1_000));
                }
            });
            assertTrue(clock.timedParkCount.get() > 0, "the writer has given up at once");
        }
    }
}
