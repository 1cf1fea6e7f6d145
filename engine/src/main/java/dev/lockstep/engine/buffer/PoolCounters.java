package dev.lockstep.engine.buffer;

import java.util.concurrent.atomic.LongAdder;

/**
 * What the pool counts where time is spent on a disk anyway. Hits are counted elsewhere ({@link PageAccessCounter}).
 */
final class PoolCounters {
    final LongAdder misses = new LongAdder();
    final LongAdder evictions = new LongAdder();
    final LongAdder pageReads = new LongAdder();
    final LongAdder pageWrites = new LongAdder();
    final LongAdder batches = new LongAdder();
    final LongAdder frameWaits = new LongAdder();
}
