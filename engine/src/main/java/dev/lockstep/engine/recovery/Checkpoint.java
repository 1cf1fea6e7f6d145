package dev.lockstep.engine.recovery;

import java.util.Arrays;

/**
 * Where recovery begins, and what it cannot learn from the log behind that point.
 *
 * <p>Immutable.
 */
public final class Checkpoint {
    private final long redoScanLsn;
    private final long durableLsn;
    private final long nextTransactionId;
    private final int nextTreeId;
    private final int catalogRootPageId;
    private final int allocatedPageCount;
    private final long[] pageBitmap;
    private final long[] pageLsns;

    /** Makes a checkpoint that knows no LSNs of pages. */
    public Checkpoint(
            long redoScanLsn,
            long durableLsn,
            long nextTransactionId,
            int nextTreeId,
            int catalogRootPageId,
            int allocatedPageCount,
            long[] pageBitmap) {
        this(
                redoScanLsn,
                durableLsn,
                nextTransactionId,
                nextTreeId,
                catalogRootPageId,
                allocatedPageCount,
                pageBitmap,
                new long[0]);
    }

    /**
     * Makes a checkpoint.
     *
     * @param redoScanLsn no change that is missing in the page file, and no record of a transaction that was running,
     *     lies before this LSN
     * @param durableLsn up to where the log was durable when the checkpoint was written; at least up to the last
     *     change that the other values contain
     * @param nextTransactionId no transaction had this id or a higher one
     * @param nextTreeId no tree had this id or a higher one
     * @param catalogRootPageId page id of the root of the catalog's tree
     * @param allocatedPageCount pages of the page file, free ones included
     * @param pageBitmap bit {@code pageId % 64} of word {@code pageId / 64} is set if the page is in use
     * @param pageLsns by page id, the LSN that the page in the file has at least; 0 where nothing is known. Not copied:
     *     it may be long
     */
    public Checkpoint(
            long redoScanLsn,
            long durableLsn,
            long nextTransactionId,
            int nextTreeId,
            int catalogRootPageId,
            int allocatedPageCount,
            long[] pageBitmap,
            long[] pageLsns) {
        this.redoScanLsn = redoScanLsn;
        this.durableLsn = durableLsn;
        this.nextTransactionId = nextTransactionId;
        this.nextTreeId = nextTreeId;
        this.catalogRootPageId = catalogRootPageId;
        this.allocatedPageCount = allocatedPageCount;
        this.pageBitmap = pageBitmap.clone();
        this.pageLsns = pageLsns;
    }

    /** The same state, with a log that is known to be durable up to another position. */
    public Checkpoint withDurableLsn(long newDurableLsn) {
        return new Checkpoint(
                redoScanLsn,
                newDurableLsn,
                nextTransactionId,
                nextTreeId,
                catalogRootPageId,
                allocatedPageCount,
                pageBitmap,
                pageLsns);
    }

    /** Where the scan of the log begins. */
    public long redoScanLsn() {
        return redoScanLsn;
    }

    /** Up to where the log must be found. */
    public long durableLsn() {
        return durableLsn;
    }

    /** Lower bound for new transaction ids; the log may contain higher ones. */
    public long nextTransactionId() {
        return nextTransactionId;
    }

    /** Lower bound for new tree ids; the log may contain higher ones. */
    public int nextTreeId() {
        return nextTreeId;
    }

    /** Page id of the root of the catalog's tree. */
    public int catalogRootPageId() {
        return catalogRootPageId;
    }

    /** Pages of the page file, free ones included. */
    public int allocatedPageCount() {
        return allocatedPageCount;
    }

    /** A copy of the bitmap of pages in use. */
    public long[] pageBitmap() {
        return pageBitmap.clone();
    }

    /** The LSNs that the pages in the file have at least, by page id; not to be changed. */
    public long[] pageLsns() {
        return pageLsns;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Checkpoint that
                && redoScanLsn == that.redoScanLsn
                && durableLsn == that.durableLsn
                && nextTransactionId == that.nextTransactionId
                && nextTreeId == that.nextTreeId
                && catalogRootPageId == that.catalogRootPageId
                && allocatedPageCount == that.allocatedPageCount
                && Arrays.equals(pageBitmap, that.pageBitmap)
                && Arrays.equals(pageLsns, that.pageLsns);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(redoScanLsn) * 31 + Arrays.hashCode(pageBitmap);
    }

    @Override
    public String toString() {
        return "Checkpoint[redoScanLsn=" + redoScanLsn + ", durableLsn=" + durableLsn + ", nextTransactionId="
                + nextTransactionId + ", nextTreeId=" + nextTreeId + ", catalogRootPageId=" + catalogRootPageId
                + ", allocatedPageCount=" + allocatedPageCount + "]";
    }
}
