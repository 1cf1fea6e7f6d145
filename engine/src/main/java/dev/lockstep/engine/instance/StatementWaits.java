package dev.lockstep.engine.instance;

import dev.lockstep.engine.btree.ChainWaits;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.log.Log;
import dev.lockstep.scheduler.Waiter;

/**
 * A statement's waits for the pages of a chain: an interrupt ends them, and so does the end of the transaction's time.
 */
final class StatementWaits implements ChainWaits {
    private final OperationDriver driver;

    StatementWaits(OperationDriver driver) {
        this.driver = driver;
    }

    @Override
    public int frame(BufferPool pool, int pageId, Waiter waiter) {
        int frame = pool.residentFrameAcquire(pageId);
        if (frame != BufferPool.NOT_RESIDENT) {
            return frame;
        }
        driver.requireTime();
        return pool.frameInterruptibly(pageId, false, waiter);
    }

    @Override
    public void reserveFrame(BufferPool pool, Waiter waiter) {
        driver.requireTime();
        pool.reserveFrameInterruptibly(waiter);
    }

    @Override
    public void throttle(Log log, Waiter waiter) {
        log.throttleInterruptibly(waiter);
    }
}
