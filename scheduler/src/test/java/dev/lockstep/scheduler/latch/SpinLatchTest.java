package dev.lockstep.scheduler.latch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpinLatchTest {
    @Test
    void oneHolderAtATime() {
        SpinLatch latch = new SpinLatch();
        assertFalse(latch.isLatched());
        latch.latch();
        assertTrue(latch.isLatched());
        assertFalse(latch.tryLatch());
        latch.unlatch();
        assertTrue(latch.tryLatch());
        latch.unlatch();
        assertThrows(IllegalMonitorStateException.class, latch::unlatch);
    }

    /** More threads than this machine has processors, so that holders are preempted and waiters must yield. */
    @Test
    void noIncrementIsLost() throws InterruptedException {
        SpinLatch latch = new SpinLatch();
        int[] count = new int[1];
        int threads = 4;
        int rounds = 20_000;
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
            all.add(builder.start(() -> {
                for (int round = 0; round < rounds; round++) {
                    latch.latch();
                    count[0]++;
                    latch.unlatch();
                }
            }));
        }
        for (Thread thread : all) {
            thread.join();
        }
        assertEquals(threads * rounds, count[0]);
    }
}
