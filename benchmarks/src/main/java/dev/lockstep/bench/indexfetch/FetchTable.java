package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.process.NodesFile;
import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.RowBatch;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.Scheduler;
import java.math.BigInteger;
import java.nio.file.Path;

/**
 * The table of section 3.4: rows of 25 integers, the first of them the primary key, from 0 on without gaps. With
 * secondary indexes, each on a column of its own, keys are as far apart as they can be, and the other columns have
 * values without order, so that what is inserted goes to another place of every index. Used by one thread at a time.
 */
final class FetchTable implements AutoCloseable {
    static final String NAME = "ints";

    static final int COLUMNS = 25;

    /** Values of one row. */
    static final long ROW_BYTES = COLUMNS * (long) Integer.BYTES;

    /** The column that an update changes. */
    static final int CHANGED = 1;

    private static final int BATCH_ROWS = 100;

    /** Rows with what the tree keeps of each and the half of every page that may be empty. */
    private static final long POOL_BYTES_PER_ROW = 3 * ROW_BYTES;

    private static final long POOL_BYTES_MIN = 64L << 20;

    /** An entry of an index with what the tree keeps of it. */
    private static final long POOL_BYTES_PER_ENTRY = 3 * 2 * Integer.BYTES;

    /** The part of all rows, about, that lies between a row and the one inserted next: Fibonacci hashing. */
    private static final double STRIDE_PART = 0.618;

    /** Factors without a pattern of their own, of xxHash. */
    private static final int MIX_ROW = 0x9E3779B1;

    private static final int MIX_COLUMN = 0x85EBCA77;

    private final Database database;
    private final Table table;
    private final long rows;
    private final int indexes;
    private final int keysApart;
    private final long stride;
    private long inserted;

    /**
     * Makes and fills it.
     *
     * @param indexes how many secondary ones
     * @param directory where its log and pages go, which is not there yet; null for a table in memory without a log
     * @param scheduler of the S-threads that will use it, or null
     */
    FetchTable(Path directory, Scheduler scheduler, long rows, int indexes) {
        this.rows = rows;
        this.indexes = indexes;
        keysApart = indexes == 0 ? 1 : (int) (Integer.MAX_VALUE / rows);
        stride = stride(rows);
        DatabaseOptions options = DatabaseOptions.builder()
                .nodeLayout(NodesFile.layout())
                .createIfMissing(true)
                .durability(Durability.ASYNC)
                .durableSnapshots(false)
                .poolBytes(POOL_BYTES_MIN + rows * (POOL_BYTES_PER_ROW + indexes * POOL_BYTES_PER_ENTRY))
                .build();
        database = directory == null
                ? Database.inMemory(options, scheduler)
                : Database.open(directory, options, scheduler);
        TableDefinition.Builder definition = TableDefinition.named(NAME);
        for (int column = 0; column < COLUMNS; column++) {
            definition.column("c" + column, ColumnType.int32());
        }
        for (int index = 1; index <= indexes; index++) {
            definition.index("by_c" + index, "c" + index);
        }
        table = database.createTable(definition.primaryKey("c0").build());
        fill();
    }

    /** About that part of the rows, and without a divisor that both have, so that all rows have their turn. */
    private static long stride(long rows) {
        long stride = Math.max(1, Math.round(rows * STRIDE_PART));
        while (!BigInteger.valueOf(stride).gcd(BigInteger.valueOf(rows)).equals(BigInteger.ONE)) {
            stride++;
        }
        return stride;
    }

    private void fill() {
        RowBatch batch = table.newBatch(BATCH_ROWS);
        try (Session session = database.openSession()) {
            for (long row = 0; row < rows; row += BATCH_ROWS) {
                batch.clear();
                for (long id = row; id < Math.min(rows, row + BATCH_ROWS); id++) {
                    set(batch.addRow(), (int) (id * keysApart));
                }
                Transaction transaction = session.begin();
                transaction.insert(table, batch);
                transaction.commit();
            }
        }
    }

    private void set(Record record, int key) {
        record.setInt(0, key);
        for (int column = 1; column < COLUMNS; column++) {
            record.setInt(column, indexes == 0 ? key : mixed(key, column));
        }
    }

    private static int mixed(int key, int column) {
        int mixed = key * MIX_ROW + column * MIX_COLUMN;
        mixed = (mixed ^ mixed >>> 15) * MIX_COLUMN;
        return mixed ^ mixed >>> 13;
    }

    /**
     * Makes a row that is not there yet, between two that the table was filled with, far from the one made before.
     *
     * @throws IllegalStateException if there is no room left between them
     */
    void setNext(Record record) {
        long round = 1 + inserted / rows;
        if (round >= keysApart) {
            throw new IllegalStateException("no keys are left between the rows: rows=" + rows + " inserted=" + inserted
                    + "; remedy: begin with other --rows, or measure for fewer --seconds");
        }
        set(record, (int) (inserted * stride % rows * keysApart + round));
        inserted++;
    }

    Database database() {
        return database;
    }

    Table table() {
        return table;
    }

    long rows() {
        return rows;
    }

    /** How often rows were changed or inserted since the table was filled; reads all of it. */
    long changes() {
        return database.call(transaction -> {
            long changes = indexes == 0 ? 0 : -rows;
            Record record = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(record)) {
                    changes += indexes == 0 ? record.getInt(CHANGED) - record.getInt(0) : 1;
                }
            }
            return changes;
        });
    }

    @Override
    public void close() {
        database.close();
    }
}
