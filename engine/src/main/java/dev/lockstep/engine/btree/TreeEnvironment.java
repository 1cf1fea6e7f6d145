package dev.lockstep.engine.btree;

import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.scheduler.latch.LatchTable;
import dev.lockstep.scheduler.latch.SpinLatch;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

/**
 * What every tree of a database shares: the pool, its latches, the page allocator and the log.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code imageRecords[0, imageRecordCount)} are buffers that nobody uses, each once; what lies behind them means
 *       nothing. Both change only under {@code imageRecordsLatch}.
 *   <li>A buffer that is lent belongs to one change of structure, until that has been logged or has failed.
 * </ul>
 *
 * <p>Thread-safe; all other state is in its parts.
 */
public final class TreeEnvironment {
    /**
     * Buffers for records with page images that are kept. Such a record takes up to 25 KB, so that every one of ten
     * thousand sessions keeping its own would fill a heap; and only as many are in use as structure changes at once.
     */
    private static final int IMAGE_RECORDS_KEPT = 16;

    /**
     * Counts of moved overflow chains, for all records: a power of two. A reader that meets the move of another chain
     * with its count reads once more, so with many it hardly ever does.
     */
    static final int CHAIN_MOVE_COUNTS = 1 << 10;

    private final BufferPool pool;
    private final LatchTable latches;
    private final NativeMemory memory;
    private final PageAllocator allocator;
    private final LeafHints hints;
    private final Log log;
    private final Consumer<Throwable> failure;
    private final SpinLatch imageRecordsLatch;
    private final LogRecordBuffer[] imageRecords = new LogRecordBuffer[IMAGE_RECORDS_KEPT];
    private final AtomicLongArray chainMoves = new AtomicLongArray(CHAIN_MOVE_COUNTS);
    private int imageRecordCount;

    /**
     * @param log null where the database writes no log
     * @param failure told of an error in the middle of a latched change; marks the instance failed
     */
    public TreeEnvironment(BufferPool pool, PageAllocator allocator, Log log, Consumer<Throwable> failure) {
        this.pool = pool;
        this.latches = pool.latches();
        this.memory = pool.memory();
        this.allocator = allocator;
        hints = new LeafHints(pool.frameCount());
        this.log = log;
        this.failure = failure;
        imageRecordsLatch = new SpinLatch(pool.watch());
    }

    public BufferPool pool() {
        return pool;
    }

    public LatchTable latches() {
        return latches;
    }

    public NativeMemory memory() {
        return memory;
    }

    public PageAllocator allocator() {
        return allocator;
    }

    AtomicLongArray chainMoves() {
        return chainMoves;
    }

    LeafHints hints() {
        return hints;
    }

    /** The log, or null where the database writes none. */
    public Log log() {
        return log;
    }

    /** Appends a record and returns its LSN; 0 where the database writes no log. */
    public long append(LogRecordBuffer finished) {
        return log == null ? 0 : log.append(finished);
    }

    /** A buffer for the record of a change with page images. */
    LogRecordBuffer lendImageRecord() {
        imageRecordsLatch.latch();
        try {
            if (imageRecordCount > 0) {
                return imageRecords[--imageRecordCount];
            }
        } finally {
            imageRecordsLatch.unlatch();
        }
        return new LogRecordBuffer();
    }

    void takeBackImageRecord(LogRecordBuffer record) {
        imageRecordsLatch.latch();
        try {
            if (imageRecordCount < IMAGE_RECORDS_KEPT) {
                imageRecords[imageRecordCount++] = record;
            }
        } finally {
            imageRecordsLatch.unlatch();
        }
    }

    /**
     * Marks the instance failed: an error struck between the first and the last byte of a latched change, so the page
     * in memory can no longer be trusted.
     */
    public void failInsideChange(Throwable cause) {
        failure.accept(cause);
    }
}
