package dev.lockstep.bench.codemap;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.engine.type.ColumnType;
import java.util.SplittableRandom;

/**
 * Serializable transactions on one small table, each of which fetches a row, scans some, updates one, inserts one and
 * deletes one, so that the table stays as large as it is. Each call is a context of its own. Used by one thread.
 */
final class OperationWorkload implements AutoCloseable {
    /** Fewer would not leave a transaction its scan. */
    static final int ROWS_MIN = 100;

    private static final int ROWS_PER_TRANSACTION_LOADING = 100;
    private static final int ROWS_SCANNED = 10;
    private static final int ID = 0;
    private static final int AMOUNT = 1;
    private static final int TEXT = 2;
    private static final int TEXT_CHARACTERS = 60;
    private static final String TABLE = "account";

    private static final int BEGIN = OperationMarkers.context("call of begin");
    private static final int FETCH = OperationMarkers.context("call of fetch");
    private static final int SCAN = OperationMarkers.context("call of scan");
    private static final int UPDATE = OperationMarkers.context("call of update");
    private static final int INSERT = OperationMarkers.context("call of insert");
    private static final int DELETE = OperationMarkers.context("call of delete");
    private static final int COMMIT = OperationMarkers.context("call of commit");

    private final Session session;
    private final Table table;
    private final Key key;
    private final Record record;
    private final TransactionOptions options;
    private final SplittableRandom random;
    private final boolean marked;
    private final int rows;
    private int nextId;
    /** Of what was read: written to the rows that are updated. */
    private long sum;

    /**
     * Fills the table.
     *
     * @param rows of the table, {@link #ROWS_MIN} or more
     * @param marked whether it says at which call it is
     */
    OperationWorkload(Database database, TransactionOptions defaults, int rows, long seed, boolean marked) {
        this.rows = rows;
        nextId = rows;
        this.marked = marked;
        table = database.createTable(TableDefinition.named(TABLE)
                .column("id", ColumnType.int32())
                .column("amount", ColumnType.int64())
                .column("text", ColumnType.string(TEXT_CHARACTERS))
                .primaryKey("id")
                .build());
        session = database.openSession();
        key = table.newKey();
        record = table.newRecord();
        options = defaults.withIsolation(Isolation.SERIALIZABLE);
        random = new SplittableRandom(seed);
        for (int row = 0; row < rows; row += ROWS_PER_TRANSACTION_LOADING) {
            Transaction transaction = session.begin(options);
            for (int id = row; id < Math.min(row + ROWS_PER_TRANSACTION_LOADING, rows); id++) {
                fill(id);
                transaction.insert(table, record);
            }
            transaction.commit();
        }
    }

    private void fill(int id) {
        record.clear();
        record.setInt(ID, id);
        record.setLong(AMOUNT, id);
        record.setString(TEXT, "x".repeat(TEXT_CHARACTERS));
    }

    /** Runs transactions. */
    void run(long transactions) {
        for (long i = 0; i < transactions; i++) {
            enter(BEGIN);
            Transaction transaction = session.begin(options);
            enter(0);
            int oldest = nextId - rows;
            fetch(transaction, oldest + 1 + random.nextInt(rows - 1));
            scan(transaction, oldest + random.nextInt(rows - ROWS_SCANNED));
            update(transaction, oldest + 1 + random.nextInt(rows - 1));
            insert(transaction);
            delete(transaction, oldest);
            enter(COMMIT);
            transaction.commit();
            enter(0);
        }
    }

    private void fetch(Transaction transaction, int id) {
        key.reset().add(id);
        enter(FETCH);
        require(transaction.fetch(table, key, record));
        enter(0);
        sum += record.getLong(AMOUNT);
    }

    private void scan(Transaction transaction, int id) {
        key.reset().add(id);
        enter(SCAN);
        try (Cursor cursor = transaction.scan(table).from(key)) {
            for (int i = 0; i < ROWS_SCANNED && cursor.next(record); i++) {
                sum += record.getLong(AMOUNT);
            }
        }
        enter(0);
    }

    private void update(Transaction transaction, int id) {
        key.reset().add(id);
        require(transaction.fetchForUpdate(table, key, record));
        record.setLong(AMOUNT, sum);
        enter(UPDATE);
        require(transaction.update(table, record));
        enter(0);
    }

    private void insert(Transaction transaction) {
        fill(nextId++);
        enter(INSERT);
        transaction.insert(table, record);
        enter(0);
    }

    private void delete(Transaction transaction, int id) {
        key.reset().add(id);
        enter(DELETE);
        require(transaction.delete(table, key));
        enter(0);
    }

    private void enter(int context) {
        if (marked) {
            OperationMarkers.enter(context);
        }
    }

    private static void require(boolean found) {
        if (!found) {
            throw new IllegalStateException("a row is missing");
        }
    }

    @Override
    public void close() {
        session.close();
    }
}
