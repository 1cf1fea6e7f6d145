package dev.lockstep.engine.buffer;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.scheduler.Waiter;
import dev.lockstep.scheduler.latch.LatchWatch;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PageWriterTest {
    private static final int FRAMES = 64;
    private static final int WRITERS = 5_000;

    /** About as long as a thread takes to wake up, so that some are closed at each moment of it. */
    private static final int SPINS_MAX = 4_000;

    /** Ends what hangs. */
    private static final long MINUTES_MAX = 10;

    private static void spin(int count) {
        for (int i = 0; i < count; i++) {
            Thread.onSpinWait();
        }
    }

    @Test
    void onceItHasEndedItSaysOfWhichPool() {
        PoolParts parts = PoolParts.of(NativeMemory.NONE, FRAMES, LatchWatch.NONE);
        PageWriter writer = new PageWriter(
                parts, PoolLimits.of(FRAMES), new WriteBack(parts, null, new PoolFixture.TestFence(), null));
        writer.start();
        writer.close();
        PoolRequest.FrameWait late = new PoolRequest.FrameWait(new Waiter(), 0);
        writer.add(late);
        String message =
                assertInstanceOf(DatabaseClosedException.class, late.await()).getMessage();
        assertTrue(message.contains(": frameCount=" + FRAMES + ". Remedy: "), message);
    }

    /** Its end is not lost where it has just been woken for something else. */
    @Test
    void endsHoweverFarItHasWokenUp() throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        FutureTask<Void> closing = new FutureTask<>(() -> {
            PoolParts parts = PoolParts.of(NativeMemory.NONE, FRAMES, LatchWatch.NONE);
            for (int i = 0; i < WRITERS; i++) {
                PageWriter writer = new PageWriter(
                        parts, PoolLimits.of(FRAMES), new WriteBack(parts, null, new PoolFixture.TestFence(), null));
                writer.start();
                spin(SPINS_MAX);
                writer.wake();
                spin(random.nextInt(SPINS_MAX));
                writer.close();
            }
            return null;
        });
        Thread.ofPlatform().daemon().start(closing);
        closing.get(MINUTES_MAX, TimeUnit.MINUTES);
    }
}
