package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.TruncatedFileException;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.log.LogRecordView;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.recovery.RedoHandler;
import dev.lockstep.scheduler.Waiter;
import dev.lockstep.scheduler.latch.LatchTable;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/**
 * Brings the pages of one log record into the pool for redo, one at a time. Used by the recovering thread alone.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code frame} is latched exclusively between {@link #latchIfOlder} and {@link #unlatch}, unless it is {@code
 *       NO_FRAME}.
 *   <li>{@code damaged} are pages that could not be read and of which no image has come yet: their records are passed
 *       over, since an image that is to come holds them. They are in the page file, which bounds their number.
 * </ul>
 */
public final class PoolRedo extends PageRedo implements RedoHandler {
    private static final int NO_FRAME = -1;

    private final BufferPool pool;
    private final int pageIdEnd;
    private final LatchTable latches;
    private final Waiter waiter = new Waiter();
    private final Set<Integer> damaged = new HashSet<>();
    private final BitSet named = new BitSet();
    private LockstepException firstDamage;
    private int newestPageId;
    private long lsnMax;
    private int treeIdMax;
    private int frame;

    public PoolRedo(BufferPool pool) {
        this.pool = pool;
        pageIdEnd = pool.pageIdEnd();
        this.latches = pool.latches();
    }

    /** Begins to read the pages of a record that is not repeated yet. */
    @Override
    public void expect(LogRecordView record) {
        try {
            LoggedPages.visit(record, (what, pageId) -> {
                if (pageId >= 1 && pageId < pageIdEnd && !damaged.contains(pageId)) {
                    pool.readAhead(pageId);
                }
            });
        } catch (CorruptionException | IndexOutOfBoundsException | IllegalArgumentException misfit) {
            // Records come in the order of the log, and so does what is wrong with one: redo() finds it in its turn.
            return;
        }
    }

    @Override
    protected NativeMemory memory() {
        return pool.memory();
    }

    @Override
    protected long address() {
        return BufferPool.address(frame);
    }

    /**
     * Requires that all pages of the log could be read or were mended by it. To be called behind its last record.
     *
     * @throws CorruptionException if a page is damaged
     * @throws TruncatedFileException if the end of one is missing
     */
    public void requireNoDamage() {
        if (!damaged.isEmpty()) {
            throw firstDamage;
        }
    }

    /** The highest LSN of a page that a record has named so far, as it was found; 0 if there is none. */
    public long lsnMax() {
        return lsnMax;
    }

    /** The page that was found with {@link #lsnMax}; 0 if there is none. */
    public int newestPageId() {
        return newestPageId;
    }

    /**
     * The highest id of a tree that a page has which records have named, as they leave it; 0 if there is none. The
     * catalog need not know that tree any more.
     */
    public int treeIdMax() {
        return treeIdMax;
    }

    @Override
    protected boolean latchForImage(int pageId, long imageLsn) {
        requirePlausible(pageId, imageLsn);
        named.set(pageId);
        if (latch(pageId)) {
            return PageLayout.lsn(pool.memory(), address()) < imageLsn;
        }
        frame = pool.newPage(pageId, waiter);
        damaged.remove(pageId);
        return true;
    }

    /**
     * A page that looks well is written once more too: after a failed force the system may show what never gets to the
     * medium unless it is written again.
     */
    @Override
    protected void unlatchImage(boolean changed, long lsn) {
        unlatch(true, changed ? lsn : Math.max(lsn, PageLayout.lsn(pool.memory(), address())));
    }

    @Override
    protected boolean latchIfOlder(int pageId, long lsn, boolean wholePage) {
        requirePlausible(pageId, lsn);
        named.set(pageId);
        if (!latch(pageId)) {
            return false;
        }
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

    private void requirePlausible(int pageId, long lsn) {
        if (pageId < 1 || pageId >= pageIdEnd) {
            throw new CorruptionException(Message.of("the log changes a page that no file has")
                    .with("pageId", pageId)
                    .with("pageIdEnd", pageIdEnd)
                    .with("lsn", lsn)
                    .remedy("restore the database from a backup"));
        }
    }

    /** Returns false for a page that cannot be read, which is not latched. */
    private boolean latch(int pageId) {
        frame = NO_FRAME;
        if (damaged.contains(pageId)) {
            return false;
        }
        try {
            latchReadable(pageId);
            note(pageId, PageLayout.lsn(pool.memory(), BufferPool.address(frame)));
            return true;
        } catch (CorruptionException | TruncatedFileException e) {
            firstDamage = damaged.isEmpty() ? e : firstDamage;
            damaged.add(pageId);
            frame = NO_FRAME;
            return false;
        }
    }

    private void note(int pageId, long lsn) {
        if (lsn > lsnMax) {
            lsnMax = lsn;
            newestPageId = pageId;
        }
    }

    private void latchReadable(int pageId) {
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

    /** The pages that records have named so far. */
    public BitSet named() {
        return (BitSet) named.clone();
    }

    @Override
    protected void unlatch(boolean changed, long lsn) {
        if (frame == NO_FRAME) {
            return;
        }
        treeIdMax = Math.max(treeIdMax, PageLayout.treeId(pool.memory(), address()));
        if (changed) {
            pool.markDirty(frame, lsn);
            latches.unlatchExclusive(frame);
        } else {
            latches.unlatchExclusiveUnchanged(frame);
        }
    }
}
