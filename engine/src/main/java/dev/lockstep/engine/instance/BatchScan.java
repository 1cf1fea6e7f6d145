package dev.lockstep.engine.instance;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.btree.KeyBytes;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.ScanOperation;
import dev.lockstep.engine.type.KeyBuffer;

/**
 * Scans of several ranges of a table, whose ways to their first leaves run side by side. Rows are locked in the order
 * of the ranges, so that two transactions that ask in the same order do not block each other in a circle. Used by one
 * thread at a time.
 */
public final class BatchScan {
    private final TableAccess access;
    private final SessionCore session;
    private byte[] low = KeyBytes.EMPTY;
    private byte[] high = KeyBytes.EMPTY;

    /** Reads what is to be seen in a snapshot, one range after the other; made when first asked for. */
    private RangeScan snapshotScan;

    @SuppressWarnings("UnusedVariable") // written so that no compiler leaves out the reads that it adds up
    private long touched;

    BatchScan(TableAccess access) {
        this.access = access;
        this.session = access.session();
    }

    /**
     * Reads the first rows of ranges.
     *
     * @param prefixes of each range what its keys begin with
     * @param count number of ranges
     * @param into takes the rows of the ranges, in their order and without gaps; its records may change places. It has
     *     room for {@code rowsMax} of each range
     * @param rowsMax most rows of one range
     * @param ends takes for each range the index behind its last row
     * @param changeMode {@link LockMode#KEY_U} or {@link LockMode#KEY_X} with the intent to change the rows,
     *     {@link LockMode#NONE} for reading at the transaction's isolation level
     * @return how many rows there are
     */
    public int scan(
            TableReference table, Key[] prefixes, int count, Record[] into, int rowsMax, int[] ends, int changeMode) {
        if (changeMode == LockMode.NONE && session.reading().isOpen()) {
            return scanSnapshot(table, prefixes, count, into, rowsMax, ends);
        }
        int mode = changeMode == LockMode.NONE ? access.readLockMode() : changeMode;
        int filled = 0;
        for (int from = 0; from < count; from += FetchChunks.FETCHES_MAX) {
            int to = Math.min(count, from + FetchChunks.FETCHES_MAX);
            start(prefixes, from, to, into, rowsMax, mode);
            ScanOperation[] scans = session.scansTogether();
            int range = from;
            while (range < to) {
                int end = from + session.driver.runInOrder(scans, range - from, to - from, list());
                for (; range < end; range++) {
                    filled = complete(scans[range - from], into, range * rowsMax, rowsMax, filled);
                    ends[range] = filled;
                }
            }
        }
        return filled;
    }

    private int list() {
        return access.table().operations().scan();
    }

    private void start(Key[] prefixes, int from, int to, Record[] into, int rowsMax, int mode) {
        ScanOperation[] scans = session.scansTogether();
        for (int range = from; range < to; range++) {
            Key prefix = prefixes[range];
            int bytes = prefix.length();
            low = KeyBytes.room(low, bytes);
            high = KeyBytes.room(high, bytes);
            prefix.copyTo(low, 0);
            prefix.copyTo(high, 0);
            int highBytes = KeyBuffer.toPrefixSuccessor(high, bytes);
            ScanOperation scan = scans[range - from];
            scan.start(access.table().tree(), low, bytes, highBytes < 0 ? null : high, highBytes, false, mode, null);
            scan.next(into, range * rowsMax, (range + 1) * rowsMax);
        }
        long sum = 0;
        for (int i = 0; i < to - from; i++) {
            sum += scans[i].touchHint();
        }
        touched = sum;
        for (int i = 0; i < to - from; i++) {
            scans[i].followHint();
        }
    }

    /**
     * Makes records of what a scan has copied, goes on behind a value in overflow pages, which ends a step, and closes
     * the gap in front of the range's rows.
     *
     * @param from index of the scan's first row
     * @param filled index behind the last row of the range before
     * @return index behind the last row of this one
     */
    private int complete(ScanOperation scan, Record[] into, int from, int rowsMax, int filled) {
        int to = from + rowsMax;
        int next = from;
        int kept = filled;
        // Ends with the range: each turn consumes a row at least, or is the last.
        while (true) {
            int end = scan.filled();
            while (next < end) {
                boolean overflow = next == end - 1 && scan.isOverflow();
                Record row = into[next];
                if (!access.completeScanned(row, overflow, scan.keepsLocks())) {
                    // The last of the step was deleted before its value was read: the row behind takes its place.
                    break;
                }
                into[next] = into[kept];
                into[kept++] = row;
                next++;
            }
            if (!scan.found() || !scan.isOverflow() || next == to) {
                return kept;
            }
            scan.next(into, next, to);
            session.driver.run(scan, list());
        }
    }

    private int scanSnapshot(TableReference table, Key[] prefixes, int count, Record[] into, int rowsMax, int[] ends) {
        if (snapshotScan == null) {
            snapshotScan = new RangeScan(session);
        }
        int filled = 0;
        for (int range = 0; range < count; range++) {
            snapshotScan.overTable(access, table);
            snapshotScan.low(prefixes[range], false);
            snapshotScan.high(prefixes[range], true);
            int end = filled + rowsMax;
            while (filled < end && snapshotScan.next(into[filled])) {
                filled++;
            }
            ends[range] = filled;
        }
        return filled;
    }
}
