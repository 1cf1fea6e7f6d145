package dev.lockstep.engine.btree;

import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.log.Log;
import dev.lockstep.scheduler.Waiter;

/**
 * How work waits that reads or writes the pages of a chain: whether an interrupt or the end of its time ends it. Asked
 * where no latch is held. A value may have 2,000 pages, so each of them is a wait of its own.
 */
public interface ChainWaits {
    /** Nothing ends the waits: for what must go through. */
    ChainWaits UNTIL_DONE = new ChainWaits() {
        @Override
        public int frame(BufferPool pool, int pageId, Waiter waiter) {
            return pool.frame(pageId, waiter);
        }

        @Override
        public void reserveFrame(BufferPool pool, Waiter waiter) {
            pool.reserveFrames(1, waiter);
        }

        @Override
        public void throttle(Log log, Waiter waiter) {
            log.throttle(waiter);
        }
    };

    /** Returns the frame that a page is in, as {@link BufferPool#frame}. */
    int frame(BufferPool pool, int pageId, Waiter waiter);

    /** Waits for the frame of a page that is to be made, as {@link BufferPool#reserveFrames}. */
    void reserveFrame(BufferPool pool, Waiter waiter);

    /** Waits for room in the log, as {@link Log#throttle}. */
    void throttle(Log log, Waiter waiter);
}
