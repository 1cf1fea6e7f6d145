package dev.lockstep.engine;

import dev.lockstep.engine.type.ColumnType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A sequence of steps on a database, the same for every run: transactions that commit and that roll back, with values
 * large and small, changes of the schema, checkpoints, compactions, reopening. Beside each step stands what the
 * database must hold after it.
 */
final class CrashWorkload {
    static final String MAIN = "main";
    static final String OTHER = "other";
    private static final String FIRST = "first";
    static final String EXTRA_INDEX = "by_kind_and_id";

    private static final int ID = 0;
    private static final int KIND = 1;
    private static final int PAYLOAD = 2;

    private static final int PAYLOAD_LENGTH_MAX = 100_000;
    private static final int ROWS_LOADED_PER_STEP = 90;
    private static final int LETTERS = 26;

    /** What the database holds: the rows of every table by id, and the extra index where there is one. */
    record State(Map<String, TreeMap<Integer, String>> rows, TreeSet<String> indexed) {
        State copy() {
            Map<String, TreeMap<Integer, String>> copies = new TreeMap<>();
            rows.forEach((table, its) -> copies.put(table, new TreeMap<>(its)));
            return new State(copies, new TreeSet<>(indexed));
        }
    }

    /** One change of a row; a negative length deletes it. */
    private record Change(int id, int kind, int length) {}

    /** Something to do with an open database. */
    @FunctionalInterface
    private interface Action {
        void apply(Database database);
    }

    private record Step(String name, Action action, State after) {}

    private final List<Step> steps = new ArrayList<>();
    private final Random random;
    private State state = new State(new TreeMap<>(), new TreeSet<>());
    private final int rowCount;

    /**
     * Prepares the steps.
     *
     * @param rowCount rows of the main table at the beginning
     * @param mixedSteps steps after those that load them
     */
    CrashWorkload(long seed, int rowCount, int mixedSteps) {
        random = new Random(seed);
        this.rowCount = rowCount;
        // What is made behind the first table lies high when that is dropped: roots and large values.
        addCreateTable(FIRST);
        addLoad(FIRST, ROWS_LOADED_PER_STEP);
        addCreateTable(MAIN);
        addLoad(MAIN, rowCount);
        addDropTable(FIRST);
        add("compact", Database::compact, state);
        for (int i = 0; i < mixedSteps; i++) {
            addMixed();
        }
    }

    private void addLoad(String table, int rows) {
        for (int from = 0; from < rows; from += ROWS_LOADED_PER_STEP) {
            List<Change> changes = new ArrayList<>();
            for (int id = from; id < Math.min(rows, from + ROWS_LOADED_PER_STEP); id++) {
                changes.add(new Change(id * 7919 % rows, random.nextInt(10), length()));
            }
            addTransaction(table, changes, changes.size(), true);
        }
    }

    private int length() {
        return random.nextInt(25) == 0 ? 9_000 + random.nextInt(40_000) : random.nextInt(2_800);
    }

    private void addMixed() {
        switch (random.nextInt(15)) {
            case 0 -> add("checkpoint", Database::checkpoint, state);
            case 1 -> addIndexStep();
            case 2 -> addTableStep();
            case 3, 4 -> addTransaction(MAIN, changes(1 + random.nextInt(40)), 0, false);
            case 5 -> addTransaction(MAIN, deletions(), Integer.MAX_VALUE, true);
            case 6 -> add("compact", Database::compact, state);
            default -> {
                List<Change> changes = changes(1 + random.nextInt(25));
                boolean partly = random.nextInt(3) == 0;
                addTransaction(MAIN, changes, partly ? random.nextInt(changes.size()) : changes.size(), true);
            }
        }
    }

    private List<Change> changes(int count) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = random.nextInt(4) == 0 ? -1 : length();
            changes.add(new Change(random.nextInt(rowCount), random.nextInt(10), length));
        }
        return changes;
    }

    /** A run of neighbours goes, so that nodes become empty and are merged. */
    private List<Change> deletions() {
        List<Change> changes = new ArrayList<>();
        int from = random.nextInt(rowCount);
        for (int id = from; id < Math.min(rowCount, from + 60); id++) {
            changes.add(new Change(id, 0, -1));
        }
        return changes;
    }

    private void addIndexStep() {
        State after = state.copy();
        if (after.indexed.remove(MAIN)) {
            add("drop index", database -> database.dropIndex(MAIN, EXTRA_INDEX), after);
        } else {
            after.indexed.add(MAIN);
            add(
                    "create index",
                    database -> database.createIndex(IndexDefinition.of(EXTRA_INDEX, MAIN, "kind", "id")),
                    after);
        }
    }

    private void addTableStep() {
        if (state.rows.containsKey(OTHER)) {
            addDropTable(OTHER);
        } else {
            addCreateTable(OTHER);
            addTransaction(OTHER, changes(30), Integer.MAX_VALUE, true);
        }
    }

    private void addDropTable(String name) {
        State after = state.copy();
        after.rows.remove(name);
        add("drop table " + name, database -> database.dropTable(name), after);
    }

    private void addCreateTable(String name) {
        State after = state.copy();
        after.rows.put(name, new TreeMap<>());
        add("create table " + name, database -> database.createTable(definition(name)), after);
    }

    private static TableDefinition definition(String name) {
        return TableDefinition.named(name)
                .column("id", ColumnType.int32())
                .column("kind", ColumnType.int32())
                .column("payload", ColumnType.string(PAYLOAD_LENGTH_MAX))
                .primaryKey("id")
                .index("by_kind", "kind")
                .build();
    }

    /**
     * Adds a transaction.
     *
     * @param kept the changes from there on are taken back by a savepoint
     */
    private void addTransaction(String table, List<Change> changes, int kept, boolean commit) {
        State after = state.copy();
        if (commit) {
            for (Change change : changes.subList(0, Math.min(kept, changes.size()))) {
                if (change.length < 0) {
                    after.rows.get(table).remove(change.id);
                } else {
                    after.rows.get(table).put(change.id, describe(change.kind, payload(change.id, change.length)));
                }
            }
        }
        add(
                (commit ? "commit in " : "roll back in ") + table,
                database -> run(database, table, changes, kept, commit),
                after);
    }

    private void add(String name, Action action, State after) {
        steps.add(new Step(name, action, after));
        state = after;
    }

    private static final class ChangedMindException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static void run(Database database, String name, List<Change> changes, int kept, boolean commit) {
        try {
            database.run(transaction -> {
                Table table = database.table(name);
                Record row = table.newRecord();
                Savepoint savepoint = null;
                for (int i = 0; i < changes.size(); i++) {
                    if (i == kept) {
                        savepoint = transaction.savepoint();
                    }
                    apply(transaction, table, row, changes.get(i));
                }
                if (!commit) {
                    throw new ChangedMindException();
                }
                if (savepoint != null) {
                    transaction.rollbackTo(savepoint);
                }
            });
        } catch (ChangedMindException e) {
            if (e.getSuppressed().length > 0) {
                throw (RuntimeException) e.getSuppressed()[0];
            }
        }
    }

    private static void apply(Transaction transaction, Table table, Record row, Change change) {
        Key key = table.newKey().add(change.id);
        boolean there = transaction.fetchForUpdate(table, key, row);
        if (change.length < 0) {
            transaction.delete(table, key);
            return;
        }
        boolean update = there && change.id % 3 != 0;
        if (there && !update) {
            transaction.delete(table, key);
        }
        row.clear();
        row.setInt(ID, change.id);
        row.setInt(KIND, change.kind);
        row.setString(PAYLOAD, payload(change.id, change.length));
        if (update) {
            transaction.update(table, row);
        } else {
            transaction.insert(table, row);
        }
    }

    private static String payload(int id, int length) {
        char[] payload = new char[length];
        for (int i = 0; i < length; i++) {
            payload[i] = (char) ('a' + (i + id + length) % LETTERS);
        }
        return new String(payload);
    }

    private static String describe(int kind, String payload) {
        return kind + ":" + payload.length() + ":" + payload.hashCode();
    }

    int stepCount() {
        return steps.size();
    }

    String name(int step) {
        return "step " + step + " (" + (step < steps.size() ? steps.get(step).name : "end") + ")";
    }

    void apply(int step, Database database) {
        steps.get(step).action.apply(database);
    }

    /** What the database must hold when that many steps are done. */
    State after(int stepsDone) {
        return stepsDone == 0 ? new State(new TreeMap<>(), new TreeSet<>()) : steps.get(stepsDone - 1).after;
    }

    /** What the database holds; its indexes are compared with its rows on the way. */
    static State read(Database database) {
        database.validate();
        State found = new State(new TreeMap<>(), new TreeSet<>());
        database.run(transaction -> {
            for (String name : database.tableNames()) {
                Table table = database.table(name);
                Record row = table.newRecord();
                TreeMap<Integer, String> rows = new TreeMap<>();
                List<String> order = new ArrayList<>();
                try (Cursor cursor = transaction.scan(table)) {
                    while (cursor.next(row)) {
                        rows.put(row.getInt(ID), describe(row.getInt(KIND), row.getString(PAYLOAD)));
                        order.add(row.getInt(KIND) + 1_000 + ":" + (row.getInt(ID) + 100_000));
                    }
                }
                Collections.sort(order);
                for (IndexDefinition index : table.definition().indexes()) {
                    requireIndex(transaction, table, index.name(), order);
                }
                if (table.definition().indexes().size() > 1) {
                    found.indexed.add(name);
                }
                found.rows.put(name, rows);
            }
        });
        return found;
    }

    private static void requireIndex(Transaction transaction, Table table, String index, List<String> expected) {
        Record row = table.newRecord();
        List<String> order = new ArrayList<>();
        try (Cursor cursor = transaction.scan(table, index)) {
            while (cursor.next(row)) {
                order.add(row.getInt(KIND) + 1_000 + ":" + (row.getInt(ID) + 100_000));
            }
        }
        if (!order.equals(expected)) {
            throw new AssertionError("index " + index + " of " + table + " has " + order.size() + " entries for "
                    + expected.size() + " rows, or others: " + order + " for " + expected);
        }
    }
}
