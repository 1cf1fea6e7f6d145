package dev.lockstep.bench.prove.soak;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.type.ColumnType;

/** A table that comes and goes beside others, so that a file has room that can be given back. Used by one thread. */
final class Ballast {
    private static final String TABLE = "ballast";
    private static final int ID = 0;
    private static final int PAYLOAD = 1;

    /** Some 25 MB, of which a compaction has to move others' pages. */
    private static final int ROWS = 50_000;

    private static final int ROWS_PER_TRANSACTION = 500;
    private static final String TEXT = "x".repeat(400);

    private final Database database;

    Ballast(Database database) {
        this.database = database;
    }

    /** Creates the table with all its rows. */
    void takeAboard() {
        Table table = database.createTable(TableDefinition.named(TABLE)
                .column("id", ColumnType.int32())
                .column("payload", ColumnType.string(TEXT.length()))
                .primaryKey("id")
                .build());
        Record row = table.newRecord();
        for (int first = 0; first < ROWS; first += ROWS_PER_TRANSACTION) {
            int from = first;
            database.run(transaction -> {
                for (int id = from; id < from + ROWS_PER_TRANSACTION; id++) {
                    row.clear();
                    row.setInt(ID, id);
                    row.setString(PAYLOAD, TEXT);
                    transaction.insert(table, row);
                }
            });
        }
    }

    /** Drops the table. */
    void throwOff() {
        database.dropTable(TABLE);
    }
}
