package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.Waiter;
import dev.lockstep.scheduler.latch.LatchTable;
import java.lang.foreign.MemorySegment;

/**
 * Brings the pages of one log record into the pool for redo, one at a time. Used by the recovering thread alone.
 *
 * <p>Invariant: {@code frame} is latched exclusively between {@link #latchIfOlder} and {@link #unlatch}.
 */
public final class PoolRedo extends PageRedo {
    private final BufferPool pool;
    private final LatchTable latches;
    private final Waiter waiter = new Waiter();
    private int frame;
    private int pageIdMax;

    public PoolRedo(BufferPool pool) {
        this.pool = pool;
        this.latches = pool.latches();
    }

    @Override
    protected MemorySegment memory() {
        return pool.memory();
    }

    @Override
    protected long address() {
        return BufferPool.address(frame);
    }

    @Override
    protected boolean latchIfOlder(int pageId, long lsn, boolean wholePage) {
        pageIdMax = Math.max(pageIdMax, pageId);
        latch(pageId);
        long page = BufferPool.address(frame);
        if (!wholePage && PageLayout.type(pool.memory(), page) == PageLayout.TYPE_NONE) {
            latches.unlatchExclusiveUnchanged(frame);
            throw new CorruptionException(Message.of("the log changes a page that was never written")
                    .with("pageId", pageId)
                    .with("lsn", lsn)
                    .remedy("restore the database from a backup"));
        }
        return PageLayout.lsn(pool.memory(), page) < lsn;
    }

    private void latch(int pageId) {
        // Ends: a page that was just loaded is evicted before it is latched only while the pool is being swept, and
        // each round loads it again at the young end of the queue.
        while (true) {
            frame = pool.frame(pageId, waiter);
            latches.latchExclusive(frame);
            if (pool.pageIdOpaque(frame) == pageId) {
                return;
            }
            latches.unlatchExclusiveUnchanged(frame);
        }
    }

    /** The highest page that a record has named; 0 before the first. */
    public int pageIdMax() {
        return pageIdMax;
    }

    @Override
    protected void unlatch(boolean changed, long lsn) {
        if (changed) {
            pool.markDirty(frame, lsn);
            latches.unlatchExclusive(frame);
        } else {
            latches.unlatchExclusiveUnchanged(frame);
        }
    }
}
