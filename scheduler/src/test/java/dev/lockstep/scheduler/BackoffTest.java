package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.latch.Backoff;
import dev.lockstep.scheduler.latch.SpinLatch;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Waits for latches on the one carrier that their holder needs to go on. */
class BackoffTest {
    /** Far longer than any pause on a busy machine; only a hang takes it. */
    private static final int HANG_SECONDS = 900;

    /**
     * A holder sleeps, as one does that waits for a free frame with its latches held; an interrupted S-thread waits for
     * the latch. It once kept the carrier, since with the flag set every park returned at once.
     */
    @Test
    void anInterruptedWaiterLetsTheHolderRun() throws InterruptedException {
        SpinLatch latch = new SpinLatch();
        CountDownLatch ended = new CountDownLatch(2);
        AtomicBoolean waiterIsThere = new AtomicBoolean();
        AtomicBoolean hangs = new AtomicBoolean();
        AtomicBoolean flagKept = new AtomicBoolean();
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.VIRTUAL))) {
            SThread holder = scheduler.start("holder", 0, () -> {
                latch.latch();
                int attempt = 0;
                while (!waiterIsThere.get()) {
                    attempt = Backoff.pause(attempt);
                }
                latch.unlatch();
                ended.countDown();
            });
            SThread waiter = scheduler.start("waiter", 0, () -> {
                Thread.currentThread().interrupt();
                while (!latch.isLatched()) {
                    Thread.yield();
                }
                waiterIsThere.set(true);
                int attempt = 0;
                while (!latch.tryLatch() && !hangs.get()) {
                    attempt = Backoff.pause(attempt);
                }
                flagKept.set(Thread.currentThread().isInterrupted());
                ended.countDown();
            });
            boolean bothEnded = ended.await(HANG_SECONDS, TimeUnit.SECONDS);
            hangs.set(true);
            holder.join();
            waiter.join();
            Fixtures.rethrow(List.of(holder, waiter));
            assertTrue(bothEnded, "the holder never got its carrier back");
            assertTrue(flagKept.get(), "the interrupt was forgotten");
        }
    }
}
