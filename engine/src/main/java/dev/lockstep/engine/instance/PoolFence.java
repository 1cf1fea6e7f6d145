package dev.lockstep.engine.instance;

import dev.lockstep.engine.btree.PageImage;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.recovery.CheckpointSource;
import dev.lockstep.scheduler.Waiter;

/**
 * What the buffer pool asks the log for before it writes pages: the write-ahead rule, and images of the pages where
 * these protect them from being torn. In force as soon as there is a log; what redo writes back is in the log already.
 *
 * <p>Invariants:
 * <ul>
 *   <li>While images are logged, recovery from any checkpoint begins at {@code imagesFromLsn} or before, as it was when
 *       that checkpoint began: so a page that is written without a new image has one that recovery reads.
 *   <li>{@code imagesFromLsn} does not decrease.
 *   <li>No page that was copied after the instance had failed goes to the medium: it may be changed by half. Who fails
 *       in the middle of a change marks the instance before the latch is given back, under which pages are copied.
 * </ul>
 *
 * <p>Thread-safety: {@link #appendImage} by the page writer's thread; the rest by any, one at a time where it writes.
 */
final class PoolFence implements BufferPool.LogFence {
    private final LogRecordBuffer record = new LogRecordBuffer();
    private final Health health;
    private volatile Log log;
    private volatile long imagesFromLsn = NO_IMAGES;

    PoolFence(Health health) {
        this.health = health;
    }

    void set(Log opened) {
        log = opened;
    }

    /** Has pages written only when the log has their image, if there is a log. */
    void startImages() {
        Log present = log;
        if (present != null) {
            imagesFromLsn = present.tailLsn();
        }
    }

    /** Whether images are logged. */
    boolean logsImages() {
        return imagesFromLsn != NO_IMAGES;
    }

    /**
     * Hears that a checkpoint begins: images before count no more.
     *
     * @return where recovery from it begins at the latest, or {@link CheckpointSource#NO_LSN}
     */
    long beginCheckpoint(long tailLsn) {
        if (!logsImages()) {
            return CheckpointSource.NO_LSN;
        }
        imagesFromLsn = tailLsn;
        return tailLsn;
    }

    @Override
    public void ensureDurable(long lsn, Waiter waiter) {
        health.check();
        Log present = log;
        if (present != null) {
            present.ensureDurable(lsn, waiter);
        }
    }

    @Override
    public long imagesFromLsn() {
        return imagesFromLsn;
    }

    @Override
    public long appendImage(NativeMemory memory, long page) {
        health.check();
        PageImage.encode(record, memory, page);
        return log.append(record);
    }
}
