package dev.lockstep.bench.indexfetch;

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
import java.nio.file.Path;

/** The table of section 3.4: rows of 25 integers, the first of them the primary key, from 0 on without gaps. */
final class FetchTable implements AutoCloseable {
    static final int COLUMNS = 25;

    /** Values of one row. */
    static final long ROW_BYTES = COLUMNS * (long) Integer.BYTES;

    /** The column that an update changes. */
    static final int CHANGED = 1;

    private static final int BATCH_ROWS = 100;

    /** Rows with what the tree keeps of each and the half of every page that may be empty. */
    private static final long POOL_BYTES_PER_ROW = 3 * ROW_BYTES;

    private static final long POOL_BYTES_MIN = 64L << 20;

    private final Database database;
    private final Table table;
    private final long rows;

    /**
     * Makes and fills it.
     *
     * @param directory where its log and pages go, which is not there yet; null for a table in memory without a log
     * @param scheduler of the S-threads that will use it, or null
     */
    FetchTable(Path directory, Scheduler scheduler, long rows) {
        this.rows = rows;
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .durability(Durability.ASYNC)
                .poolBytes(POOL_BYTES_MIN + rows * POOL_BYTES_PER_ROW)
                .build();
        database = directory == null
                ? Database.inMemory(options, scheduler)
                : Database.open(directory, options, scheduler);
        TableDefinition.Builder definition = TableDefinition.named("ints");
        for (int column = 0; column < COLUMNS; column++) {
            definition.column("c" + column, ColumnType.int32());
        }
        table = database.createTable(definition.primaryKey("c0").build());
        fill();
    }

    private void fill() {
        RowBatch batch = table.newBatch(BATCH_ROWS);
        try (Session session = database.openSession()) {
            for (long row = 0; row < rows; row += BATCH_ROWS) {
                batch.clear();
                for (long id = row; id < Math.min(rows, row + BATCH_ROWS); id++) {
                    Record record = batch.addRow();
                    for (int column = 0; column < COLUMNS; column++) {
                        record.setInt(column, (int) id);
                    }
                }
                Transaction transaction = session.begin();
                transaction.insert(table, batch);
                transaction.commit();
            }
        }
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

    /** How often rows were changed since the table was filled; reads all of it. */
    long changes() {
        return database.call(transaction -> {
            long changes = 0;
            Record record = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(record)) {
                    changes += record.getInt(CHANGED) - record.getInt(0);
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
