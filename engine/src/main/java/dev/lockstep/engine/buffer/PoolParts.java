package dev.lockstep.engine.buffer;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.scheduler.latch.LatchTable;
import dev.lockstep.scheduler.latch.LatchWatch;

/**
 * What the pool and its page writer share.
 *
 * @param memory the bytes of all frames
 * @param latches one per frame
 * @param frames what is known of each frame
 * @param translation which frame holds which page
 * @param free frames without a page
 * @param arrivals frames that got a page and are not in a queue of the eviction yet
 * @param counters what is counted
 * @param watch ends waits for what will never be given back
 */
record PoolParts(
        NativeMemory memory,
        LatchTable latches,
        FrameTable frames,
        TranslationArray translation,
        FrameStack free,
        FrameStack arrivals,
        PoolCounters counters,
        LatchWatch watch) {
    static PoolParts of(NativeMemory memory, int frameCount, LatchWatch watch) {
        int[] next = new int[frameCount];
        LatchTable latches = new LatchTable(frameCount, watch);
        PoolParts parts = new PoolParts(
                memory,
                latches,
                new FrameTable(latches),
                new TranslationArray(),
                new FrameStack(next),
                new FrameStack(next),
                new PoolCounters(),
                watch);
        for (int frame = frameCount - 1; frame >= 0; frame--) {
            parts.free.push(frame);
        }
        return parts;
    }

    int frameCount() {
        return latches.latchCount();
    }
}
