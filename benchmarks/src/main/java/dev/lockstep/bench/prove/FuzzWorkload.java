package dev.lockstep.bench.prove;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.type.ColumnType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A database that is the same for every run with one seed, transaction by transaction: rows short and long, changed,
 * moved in an index and removed. Knows what it holds after each transaction. Used by one thread.
 */
final class FuzzWorkload {
    /** Enough for a tree of three levels, splits, merges and overflow pages, and for two checkpoints in between. */
    static final int TRANSACTIONS = 120;

    /** A checkpoint after so many: before the second, so that the log goes on behind it. */
    static final int CHECKPOINT_INTERVAL = 50;

    /** What {@link #stateOf} says of contents that never were. */
    static final int UNKNOWN_STATE = -1;

    private static final String TABLE = "item";
    private static final String INDEX = "by_kind";
    private static final int ID = 0;
    private static final int KIND = 1;
    private static final int PAYLOAD = 2;
    private static final int IDS = 400;
    private static final int KINDS = 12;
    private static final int CHANGES_PER_TRANSACTION = 12;
    private static final int PAYLOAD_SHORT_MAX = 300;
    private static final int PAYLOAD_LONG_MAX = 20_000;
    private static final int ONE_IN_LONG = 40;
    private static final int ONE_IN_REMOVED = 4;
    private static final int PAYLOAD_LENGTH_MAX = 30_000;
    private static final int LETTERS = 26;

    /** One change; a negative length removes the row. */
    private record Change(int id, int kind, int length) {}

    private final List<List<Change>> transactions = new ArrayList<>();
    private final Map<String, Integer> states = new TreeMap<>();

    FuzzWorkload(long seed) {
        Random random = new Random(seed);
        TreeMap<Integer, Change> rows = new TreeMap<>();
        states.put(contents(rows), 0);
        for (int i = 1; i <= TRANSACTIONS; i++) {
            List<Change> changes = new ArrayList<>();
            for (int n = 0; n < CHANGES_PER_TRANSACTION; n++) {
                int id = random.nextInt(IDS);
                boolean removes = rows.containsKey(id) && random.nextInt(ONE_IN_REMOVED) == 0;
                int length = random.nextInt(random.nextInt(ONE_IN_LONG) == 0 ? PAYLOAD_LONG_MAX : PAYLOAD_SHORT_MAX);
                Change change = new Change(id, random.nextInt(KINDS), removes ? -1 : length);
                changes.add(change);
                if (removes) {
                    rows.remove(id);
                } else {
                    rows.put(id, change);
                }
            }
            transactions.add(changes);
            states.put(contents(rows), i);
        }
    }

    private static String contents(Map<Integer, Change> rows) {
        StringBuilder text = new StringBuilder();
        rows.values().forEach(row -> append(text, row.id, row.kind, payload(row.id, row.length)));
        return text.toString();
    }

    private static void append(StringBuilder text, int id, int kind, String payload) {
        text.append(id)
                .append(' ')
                .append(kind)
                .append(' ')
                .append(payload.length())
                .append(' ')
                .append(payload.hashCode())
                .append('\n');
    }

    private static String payload(int id, int length) {
        StringBuilder payload = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            payload.append((char) ('a' + (i * 7 + id + length) % LETTERS));
        }
        return payload.toString();
    }

    /** Runs all of it on an empty database. */
    void run(Database database) {
        Table table = database.createTable(TableDefinition.named(TABLE)
                .column("id", ColumnType.int32())
                .column("kind", ColumnType.int32())
                .column("payload", ColumnType.string(PAYLOAD_LENGTH_MAX))
                .primaryKey("id")
                .index(INDEX, "kind", "id")
                .build());
        Record row = table.newRecord();
        for (int i = 0; i < transactions.size(); i++) {
            List<Change> changes = transactions.get(i);
            database.run(transaction -> changes.forEach(change -> apply(transaction, table, row, change)));
            if (i % CHECKPOINT_INTERVAL == CHECKPOINT_INTERVAL - 1) {
                database.checkpoint();
            }
        }
    }

    private static void apply(Transaction transaction, Table table, Record row, Change change) {
        if (change.length < 0) {
            transaction.delete(table, table.newKey().add(change.id));
            return;
        }
        boolean there = transaction.fetchForUpdate(table, table.newKey().add(change.id), row);
        row.clear();
        row.setInt(ID, change.id);
        row.setInt(KIND, change.kind);
        row.setString(PAYLOAD, payload(change.id, change.length));
        if (there) {
            // Handed in as a new row: what was fetched is gone from the record.
            transaction.delete(table, table.newKey().add(change.id));
        }
        transaction.insert(table, row);
    }

    /**
     * Reads all of it, by the primary key and by the index.
     *
     * @return after how many transactions it was so; {@link #UNKNOWN_STATE} if never
     */
    int stateOf(Database database) {
        if (!database.tableNames().contains(TABLE)) {
            return 0;
        }
        Table table = database.table(TABLE);
        return database.call(transaction -> {
            TreeMap<Integer, String> byIndex = new TreeMap<>();
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table, INDEX)) {
                while (cursor.next(row)) {
                    StringBuilder line = new StringBuilder();
                    append(line, row.getInt(ID), row.getInt(KIND), row.getString(PAYLOAD));
                    byIndex.put(row.getInt(ID), line.toString());
                }
            }
            StringBuilder text = new StringBuilder();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    append(text, row.getInt(ID), row.getInt(KIND), row.getString(PAYLOAD));
                }
            }
            String found = text.toString();
            return found.equals(String.join("", byIndex.values()))
                    ? states.getOrDefault(found, UNKNOWN_STATE)
                    : UNKNOWN_STATE;
        });
    }
}
