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
 *   <li>{@code rowsOfTurn} steps were made since others were let run, fewer than {@link #ROWS_PER_TURN}.
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
    private byte[] low = KeyBytes.EMPTY;
    private byte[] high = KeyBytes.EMPTY;
    private final RawRecord entry = new RawRecord();
    private TableReference reference;
    private TableAccess access;
    private int index;
    private int lowBytes;
    private int highBytes;
    private boolean backward;
    private boolean forUpdate;
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
        forUpdate = false;
        empty = false;
        started = false;
        rowsOfTurn = 0;
    }

    public TableReference table() {
        return reference;
    }

    public boolean isForUpdate() {
        return forUpdate;
    }

    public void backward() {
        backward = true;
    }

    public void forUpdate() {
        forUpdate = true;
    }

    /** Sets the low end: at the key, or behind everything that begins with it. */
    public void low(Key key, boolean behind) {
        requireKeyOfScan(key);
        low = KeyBytes.room(low, key.length());
        key.copyTo(low, 0);
        lowBytes = behind ? KeyBuffer.toPrefixSuccessor(low, key.length()) : key.length();
        empty |= behind && lowBytes < 0;
    }

    /** Sets the low end behind a row of the table. */
    void behind(Record row) {
        low = KeyBytes.room(low, row.keyLength());
        System.arraycopy(row.keyBytes(), 0, low, 0, row.keyLength());
        lowBytes = KeyBuffer.toPrefixSuccessor(low, row.keyLength());
        empty |= lowBytes < 0;
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
        access.requireOwn(into);
        if (index == TABLE) {
            return nextOfTable(into);
        }
        // Ends with the range: each turn consumes an entry.
        while (step(
                entry,
                indexTree(),
                access.table().indexes().get(index).operations().scan())) {
            if (fetchRow(into) && (scan.keepsLocks() || isOfEntry(into))) {
                return true;
            }
        }
        return false;
    }

    /** Whether the row still has the values by which it was found: its entry is locked no more. */
    private boolean isOfEntry(Record row) {
        IndexKeyBuilder builder = access.entryBuilder(index);
        int entryBytes = builder.build(row);
        return Arrays.equals(builder.bytes(), 0, entryBytes, entry.keyBytes(), 0, entry.keyLength());
    }

    private boolean nextOfTable(Record into) {
        // Ends with the range: each turn consumes a row.
        while (step(into, access.table().tree(), access.table().operations().scan())) {
            if (!scan.isOverflow() || scan.keepsLocks()) {
                if (scan.isOverflow()) {
                    access.loadOverflow(into);
                }
                into.loaded();
                return true;
            }
            // The chain is given back when its row goes, so reading it needs a lock that stays.
            if (access.fetchLocked(into.keyBytes(), into.keyLength(), into)) {
                return true;
            }
        }
        return false;
    }

    /** Goes to the next entry of an index, without its row. */
    public boolean nextKey(Key primaryKey) {
        if (index == TABLE) {
            throw new SchemaException(Message.of("the cursor scans a table")
                    .with("table", reference.name())
                    .remedy("read the key columns of the record"));
        }
        if (!step(
                entry,
                indexTree(),
                access.table().indexes().get(index).operations().scan())) {
            return false;
        }
        int from = primaryKeyOffset();
        int columns = access.table().definition().keyFormat().columnCount();
        if (from == entry.keyLength()) {
            primaryKey.setEncoded(entry.valueBytes(), 0, entry.valueLength(), columns);
        } else {
            primaryKey.setEncoded(entry.keyBytes(), from, entry.keyLength() - from, columns);
        }
        return true;
    }

    private BTree indexTree() {
        return access.table().indexes().get(index).tree();
    }

    private int primaryKeyOffset() {
        IndexKeyBuilder builder = access.entryBuilder(index);
        return builder.primaryKeyOffset(entry.keyBytes(), 0, entry.keyLength());
    }

    private boolean fetchRow(Record into) {
        int from = primaryKeyOffset();
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
        return forUpdate ? access.fetchForUpdate(key, keyBytes, into) : access.fetch(key, keyBytes, into);
    }

    private boolean step(RecordTarget into, BTree tree, int list) {
        if (empty) {
            return false;
        }
        if (!started) {
            start(tree, into);
        }
        scan.retarget(into);
        scan.next();
        if (++rowsOfTurn == ROWS_PER_TURN) {
            rowsOfTurn = 0;
            session.driver.runAfterYield(scan, list);
        } else {
            session.driver.run(scan, list);
        }
        return scan.found();
    }

    private void start(BTree tree, RecordTarget into) {
        started = true;
        scan.start(
                tree,
                lowBytes < 0 ? null : low,
                lowBytes,
                highBytes < 0 ? null : high,
                highBytes,
                backward,
                forUpdate ? LockMode.KEY_U : LockMode.KEY_S,
                into);
    }
}
