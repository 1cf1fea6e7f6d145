package dev.lockstep.engine.instance;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.KeyBytes;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.ScanOperation;
import dev.lockstep.engine.operation.SnapshotScanOperation;
import dev.lockstep.engine.type.IndexKeyBuilder;
import dev.lockstep.engine.type.KeyBuffer;
import dev.lockstep.engine.type.KeyFormat;
import dev.lockstep.engine.type.RawRecord;
import dev.lockstep.engine.type.RecordTarget;
import java.util.Arrays;

/**
 * A scan of a table, or of an index with the rows that its entries refer to.
 *
 * <p>States: prepared by {@code overTable} or {@code overIndex}, then given its range, then started by the first step.
 * Invariants:
 * <ul>
 *   <li>{@code index} is {@link #TABLE} or the position of an index of {@code access}.
 *   <li>Until the scan has started, {@code low} and {@code high} hold the range, each as long as its count says;
 *       {@link #UNBOUNDED} is no bound. Afterwards the scan has its own copies, and {@code low} is free for the keys
 *       of rows.
 *   <li>{@code empty} says that the low end lies behind every key; the scan is then never started.
 *   <li>{@code rowsOfTurn} rows were found since others were let run, at most {@link #ROWS_PER_TURN}.
 * </ul>
 *
 * <p>Used by one thread at a time; reusable.
 */
public final class RangeScan {
    private static final int UNBOUNDED = -1;

    private static final int TABLE = -1;

    /**
     * Rows after which a scan lets others run. About 50 µs of work: short beside a transaction, long beside the half
     * microsecond that a hand-over costs.
     */
    public static final int ROWS_PER_TURN = 256;

    private final SessionCore session;
    private final ScanOperation scan;

    /** Scans the transaction's snapshot; made when first asked for. */
    private SnapshotScanOperation snapshotScan;

    private boolean ofSnapshot;
    private byte[] low = KeyBytes.EMPTY;
    private byte[] high = KeyBytes.EMPTY;
    private final RecordTarget[] single = new RecordTarget[1];
    private RawRecord[] entries = {new RawRecord()};
    private TableReference reference;
    private TableAccess access;
    private int index;
    private int lowBytes;
    private int highBytes;
    private boolean backward;

    /** The lock of rows that are going to be changed, {@link LockMode#NONE} where they are only read. */
    private int changeMode = LockMode.NONE;

    private boolean empty;
    private boolean started;
    private int rowsOfTurn;

    public RangeScan(SessionCore session) {
        this.session = session;
        scan = new ScanOperation(session.instance.locks(), session.instance.transactions(), session.context);
    }

    public void overTable(TableAccess tableAccess, TableReference table) {
        reset(tableAccess, table, TABLE);
    }

    public void overIndex(TableAccess tableAccess, TableReference table, int position) {
        reset(tableAccess, table, position);
    }

    private void reset(TableAccess tableAccess, TableReference table, int position) {
        access = tableAccess;
        reference = table;
        index = position;
        lowBytes = UNBOUNDED;
        highBytes = UNBOUNDED;
        backward = false;
        changeMode = LockMode.NONE;
        empty = false;
        started = false;
        rowsOfTurn = 0;
        ofSnapshot = session.reading().isOpen();
    }

    public TableReference table() {
        return reference;
    }

    public boolean isForUpdate() {
        return changeMode != LockMode.NONE;
    }

    public void backward() {
        backward = true;
    }

    /** Every row is read with the intent to change it, under this lock. */
    public void toChange(int mode) {
        changeMode = mode;
    }

    /** Sets the low end: at the key, or behind everything that begins with it. */
    public void low(Key key, boolean behind) {
        requireKeyOfScan(key);
        low = KeyBytes.room(low, key.length());
        key.copyTo(low, 0);
        lowBytes = behind ? KeyBuffer.toPrefixSuccessor(low, key.length()) : key.length();
        empty = behind && lowBytes < 0;
    }

    /** Sets the low end behind a row of the table. */
    void behind(Record row) {
        low = KeyBytes.room(low, row.keyLength());
        System.arraycopy(row.keyBytes(), 0, low, 0, row.keyLength());
        lowBytes = KeyBuffer.toPrefixSuccessor(low, row.keyLength());
        empty = lowBytes < 0;
    }

    /** Sets the high end: before the key, or behind everything that begins with it. */
    public void high(Key key, boolean inclusive) {
        requireKeyOfScan(key);
        high = KeyBytes.room(high, key.length());
        key.copyTo(high, 0);
        highBytes = inclusive ? KeyBuffer.toPrefixSuccessor(high, key.length()) : key.length();
    }

    private void requireKeyOfScan(Key key) {
        KeyFormat expected = index == TABLE
                ? access.table().definition().keyFormat()
                : access.table().definition().indexFormat(index);
        if (!key.format().equals(expected)) {
            throw new SchemaException(Message.of("the key belongs to another table or index")
                    .with("expected", expected.name())
                    .with("actual", key.format().name())
                    .remedy("make bounds with newKey() for a table and newIndexKey() for an index"));
        }
    }

    /** Goes to the next row. */
    public boolean next(Record into) {
        access.checks().requireReadable(into);
        if (index == TABLE) {
            return nextOfTable(into);
        }
        requireIndexedColumns(into);
        // Ends with the range: each turn consumes an entry.
        while (step(entries, 0, 1, indexTree(), indexList()) > 0) {
            if (fetchRow(into) && (agrees() || isOfEntry(into, entries[0]))) {
                return true;
            }
        }
        return false;
    }

    /**
     * A batch takes rows of the scan.
     *
     * @param first its first record
     * @throws SchemaException if it belongs to another table, or lacks columns by which rows are compared
     */
    public void requireRows(Record first) {
        access.checks().requireReadable(first);
        if (index != TABLE) {
            requireIndexedColumns(first);
        }
    }

    /** Whether it is of an index, and not of a table. */
    public boolean isOfIndex() {
        return index != TABLE;
    }

    /**
     * Goes to the following rows.
     *
     * @param keys as many as records, free for use; may be null where the scan is not of an index
     * @param into takes the rows, as {@link #requireRows} wants them; its records may change places
     * @param found as many as records; free for use
     * @return how many rows there are, fewer than records only at the end of the range
     */
    public int next(Key[] keys, Record[] into, boolean[] found) {
        return index == TABLE ? nextOfTable(into) : nextOfIndex(keys, into, found);
    }

    /** A row is compared with the entry that led to it. */
    private void requireIndexedColumns(Record row) {
        if (row.format().isProjection()) {
            KeyFormat format = access.table().definition().indexFormat(index);
            for (int part = 0; part < format.columnCount(); part++) {
                row.format().access(format.ordinal(part));
            }
        }
    }

    /** Whether a row still has the values by which it was found: its entry is locked no more. */
    private boolean isOfEntry(Record row, RawRecord entry) {
        return access.entries().isEntry(index, row, entry.keyBytes(), entry.keyLength());
    }

    private boolean nextOfTable(Record into) {
        single[0] = into;
        // Ends with the range: each turn consumes a row.
        while (step(
                        single,
                        0,
                        1,
                        access.table().tree(),
                        access.table().operations().scan())
                > 0) {
            if (complete(into, isOverflow())) {
                return true;
            }
        }
        return false;
    }

    private int nextOfTable(Record[] into) {
        int count = 0;
        // Ends with the range: each turn consumes rows.
        while (count < into.length) {
            int to = Math.min(into.length, count + ROWS_PER_TURN);
            int end = step(
                    into,
                    count,
                    to,
                    access.table().tree(),
                    access.table().operations().scan());
            boolean overflow = end > count && isOverflow();
            int inline = overflow ? end - 1 : end;
            while (count < inline) {
                into[count++].loaded();
            }
            if (overflow) {
                count += complete(into[count], true) ? 1 : 0;
            } else if (end < to) {
                break;
            }
        }
        return count;
    }

    /** Whether the last row of a step is in overflow pages. */
    private boolean isOverflow() {
        return ofSnapshot ? snapshotScan.isOverflow() : scan.isOverflow();
    }

    /** Whether an entry and its row, read one after the other, are of one moment. */
    private boolean agrees() {
        return ofSnapshot || scan.keepsLocks();
    }

    /** Makes a record of what a step has copied; false if its row is gone. */
    private boolean complete(Record row, boolean overflow) {
        if (overflow && ofSnapshot) {
            return access.snapshotAccess().fetch(Arrays.copyOf(row.keyBytes(), row.keyLength()), row.keyLength(), row);
        }
        return access.completeScanned(row, overflow, scan.keepsLocks());
    }

    private int nextOfIndex(Key[] keys, Record[] into, boolean[] found) {
        int count = 0;
        // Ends with the range: each turn consumes entries.
        while (count < into.length) {
            int asked = Math.min(into.length - count, FetchChunks.FETCHES_MAX);
            int met = stepEntries(asked);
            for (int i = 0; i < met; i++) {
                takePrimaryKey(entries[i], keys[count + i]);
            }
            access.batchFetch().fetch(keys, into, found, count, count + met, changeMode);
            int kept = count;
            for (int i = 0; i < met; i++) {
                Record row = into[count + i];
                if (found[count + i] && (agrees() || isOfEntry(row, entries[i]))) {
                    into[count + i] = into[kept];
                    into[kept++] = row;
                }
            }
            count = kept;
            if (met < asked) {
                break;
            }
        }
        return count;
    }

    /** Goes to the next entry of an index, without its row; the key is as {@link #requireKeys} wants it. */
    public boolean nextKey(Key primaryKey) {
        if (step(entries, 0, 1, indexTree(), indexList()) == 0) {
            return false;
        }
        takePrimaryKey(entries[0], primaryKey);
        return true;
    }

    /**
     * Goes to the following entries of an index, without their rows.
     *
     * @param primaryKeys takes the primary keys that they refer to; as {@link #requireKeys} wants them
     * @return how many there are, fewer than keys only at the end of the range
     */
    public int nextKeys(Key[] primaryKeys) {
        int count = 0;
        // Ends with the range: each turn consumes entries.
        while (count < primaryKeys.length) {
            int asked = Math.min(primaryKeys.length - count, FetchChunks.FETCHES_MAX);
            int met = stepEntries(asked);
            for (int i = 0; i < met; i++) {
                takePrimaryKey(entries[i], primaryKeys[count++]);
            }
            if (met < asked) {
                break;
            }
        }
        return count;
    }

    /**
     * Keys take those to which the entries of the scan refer.
     *
     * @param actual their format
     * @throws SchemaException if the scan is that of a table, or they belong to another one
     */
    public void requireKeys(KeyFormat actual) {
        requireIndex();
        requirePrimaryKey(actual);
    }

    private void requireIndex() {
        if (index == TABLE) {
            throw new SchemaException(Message.of("the cursor scans a table")
                    .with("table", reference.name())
                    .remedy("read the key columns of the record"));
        }
    }

    private void requirePrimaryKey(KeyFormat actual) {
        KeyFormat expected = access.table().definition().keyFormat();
        if (!actual.equals(expected)) {
            throw new SchemaException(Message.of("the keys belong to another table")
                    .with("expected", expected.name())
                    .with("actual", actual.name())
                    .remedy("make the key with newKey(), or the batch with newBatch(), of the table that is scanned"));
        }
    }

    private void takePrimaryKey(RawRecord entry, Key primaryKey) {
        int from = primaryKeyOffset(entry);
        int columns = access.table().definition().keyFormat().columnCount();
        if (from == entry.keyLength()) {
            primaryKey.setEncoded(entry.valueBytes(), 0, entry.valueLength(), columns);
        } else {
            primaryKey.setEncoded(entry.keyBytes(), from, entry.keyLength() - from, columns);
        }
    }

    /** Goes to the following entries, at most {@link FetchChunks#FETCHES_MAX}; returns how many there are. */
    private int stepEntries(int asked) {
        if (asked > entries.length) {
            int had = entries.length;
            RawRecord[] more = Arrays.copyOf(entries, FetchChunks.FETCHES_MAX);
            for (int i = had; i < more.length; i++) {
                more[i] = new RawRecord();
            }
            entries = more;
        }
        return step(entries, 0, asked, indexTree(), indexList());
    }

    private int indexList() {
        return access.table().indexes().get(index).operations().scan();
    }

    private BTree indexTree() {
        return access.table().indexes().get(index).tree();
    }

    private int primaryKeyOffset(RawRecord entry) {
        IndexKeyBuilder builder = access.entries().builder(index);
        return builder.primaryKeyOffset(entry.keyBytes(), 0, entry.keyLength());
    }

    private boolean fetchRow(Record into) {
        RawRecord entry = entries[0];
        int from = primaryKeyOffset(entry);
        if (from == entry.keyLength()) {
            return fetchRow(entry.valueBytes(), entry.valueLength(), into);
        }
        int keyBytes = entry.keyLength() - from;
        byte[] key = entry.keyBytes();
        low = KeyBytes.room(low, keyBytes);
        System.arraycopy(key, from, low, 0, keyBytes);
        return fetchRow(low, keyBytes, into);
    }

    private boolean fetchRow(byte[] key, int keyBytes, Record into) {
        return changeMode == LockMode.NONE
                ? access.fetch(key, keyBytes, into)
                : access.fetchToChange(key, keyBytes, into, changeMode);
    }

    /** Goes to the next records, which the targets from {@code from} to {@code to} take; returns where they end. */
    private int step(RecordTarget[] into, int from, int to, BTree tree, int list) {
        if (empty) {
            return from;
        }
        if (!started) {
            start(tree);
        }
        boolean turnEnds = rowsOfTurn + to - from > ROWS_PER_TURN;
        rowsOfTurn = turnEnds ? 0 : rowsOfTurn;
        if (ofSnapshot) {
            snapshotScan.next(into, from, to);
            session.reading().run(snapshotScan, list, turnEnds);
            rowsOfTurn += snapshotScan.filled() - from;
            return snapshotScan.filled();
        }
        scan.next(into, from, to);
        if (turnEnds) {
            session.driver.runAfterYield(scan, list);
        } else {
            session.driver.run(scan, list);
        }
        rowsOfTurn += scan.filled() - from;
        return scan.filled();
    }

    private void start(BTree tree) {
        started = true;
        if (ofSnapshot) {
            startOnSnapshot(tree);
            return;
        }
        scan.start(
                tree,
                lowBytes < 0 ? null : low,
                lowBytes,
                highBytes < 0 ? null : high,
                highBytes,
                backward,
                changeMode == LockMode.NONE ? access.readLockMode() : changeMode,
                null);
    }

    private void startOnSnapshot(BTree tree) {
        if (snapshotScan == null) {
            snapshotScan = new SnapshotScanOperation(
                    session.instance.locks(), session.instance.transactions(), session.context);
        }
        snapshotScan.start(
                tree,
                session.reading().snapshot(),
                lowBytes < 0 ? null : low,
                lowBytes,
                highBytes < 0 ? null : high,
                highBytes,
                backward);
    }
}
