package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Savepoint;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.TornPageProtection;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/**
 * Everything that the engine does to its files, on one table of a few hundred rows: splits and merges, overflow pages,
 * checkpoints in the middle of transactions, rollbacks of what is on disk already, indexes made and dropped, copies
 * made and the file compacted beside transactions, databases closed in order or not.
 */
final class RowsWorkload implements Workload {
    private static final String TABLE = "rows";
    private static final String INDEX = "by_kind_and_id";

    /** Once it is dropped, what was made behind it lies high for the compaction: roots and large values. */
    private static final String FIRST_TABLE = "first";

    /** Some forty pages, which is more than the roots of the other table and its first large values. */
    private static final int FIRST_ROWS = 300;

    private static final int ID = 0;
    private static final int KIND = 1;
    private static final int PAYLOAD = 2;
    private static final int KINDS = 7;
    private static final int PAYLOAD_LENGTH_MAX = 60_000;
    private static final int IDS = 100_000;
    private static final int LETTERS = 26;

    /** Before the mixed ones: some four hundred rows, in a tree of three levels with its index. */
    private static final int LOADING_STEPS = 8;

    private static final int MIXED_STEPS = 96;

    /** After so many all kinds of mixed steps have been taken. */
    private static final int STEPS_PER_CYCLE = 16;

    /** Rows of a loading step: with one row of half a kilobyte on average, at least one node more. */
    private static final int ROWS_PER_SPLIT = 45;

    /** So many neighbours fill several nodes. */
    private static final int ROWS_PER_MERGE = 70;

    private static final int ROWS_PER_CHANGE = 12;

    private final TornPageProtection tornPageProtection;
    private final Random random;
    private final List<Step> steps = new ArrayList<>();
    private State state = new State(new TreeMap<>(), false, false);

    /** What the database holds: kind and length of each row by id, whether the table is there, and the index. */
    private record State(TreeMap<Integer, Row> rows, boolean hasTable, boolean hasIndex) {
        State copy() {
            return new State(new TreeMap<>(rows), hasTable, hasIndex);
        }
    }

    private record Row(int kind, int length) {}

    /** One change of a row; null deletes it. */
    private record Change(int id, Row rowOrNull) {}

    @FunctionalInterface
    private interface Action {
        void apply(Host host);
    }

    private record Step(Activity activity, String name, boolean opens, Path copyOrNull, Action action, State after) {}

    /**
     * Makes the steps of a seed.
     *
     * @param tornPageProtection how its database protects pages from being torn
     */
    RowsWorkload(long seed, TornPageProtection tornPageProtection) {
        this.tornPageProtection = tornPageProtection;
        random = new Random(seed);
        addOpening(Activity.CREATION, "open");
        State withTable = new State(new TreeMap<>(), true, false);
        add(Activity.SCHEMA, "create the first table", host -> createFirst(host.database()), state);
        add(Activity.CHANGE, "fill the first table", host -> fillFirst(host.database()), state);
        add(Activity.SCHEMA, "create table", host -> host.database().createTable(definition(TABLE)), withTable);
        for (int i = 0; i < LOADING_STEPS; i++) {
            addSplit();
        }
        addTransaction(Activity.CHANGE, "change", changes(), false, false);
        add(Activity.SCHEMA, "drop the first table", host -> dropFirst(host.database()), state);
        addCompaction();
        for (int i = 0; i < MIXED_STEPS; i++) {
            addMixed(i);
        }
    }

    /** Nothing tells these steps from those before and behind, so they may be taken twice. */
    private static void createFirst(Database database) {
        if (!database.tableNames().contains(FIRST_TABLE)) {
            database.createTable(definition(FIRST_TABLE));
        }
    }

    private static void dropFirst(Database database) {
        if (database.tableNames().contains(FIRST_TABLE)) {
            database.dropTable(FIRST_TABLE);
        }
    }

    private static void fillFirst(Database database) {
        Table table = database.table(FIRST_TABLE);
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < FIRST_ROWS; id++) {
                if (!transaction.fetchForUpdate(table, table.newKey().add(id), row)) {
                    row.clear();
                    row.setInt(ID, id);
                    row.setInt(KIND, 0);
                    row.setString(PAYLOAD, payload(id, 1_000));
                    transaction.insert(table, row);
                }
            }
        });
    }

    private void addMixed(int number) {
        switch (number % STEPS_PER_CYCLE) {
            case 0, 8 -> addMerge();
            case 1 -> addCompaction();
            case 2, 6, 12 -> addSplit();
            case 3, 14 -> addRollback(random.nextBoolean());
            case 4 ->
                add(Activity.CHECKPOINT, "checkpoint", host -> host.database().checkpoint(), state);
            case 5 -> addRecovery();
            case 7 -> addIndex();
            case 10 -> addBackup();
            case 11 -> addClose();
            default -> addTransaction(Activity.CHANGE, "change", changes(), false, false);
        }
    }

    private void addSplit() {
        List<Change> changes = new ArrayList<>();
        int around = random.nextInt(IDS);
        // Ends because there are far fewer rows than ids, and an id that is taken is passed over.
        while (changes.size() < ROWS_PER_SPLIT) {
            boolean isNeighbour = changes.size() % 3 != 0;
            int id = isNeighbour ? Math.floorMod(around + changes.size(), IDS) : random.nextInt(IDS);
            if (!state.rows.containsKey(id)) {
                changes.add(new Change(id, new Row(random.nextInt(KINDS), random.nextInt(1_100))));
            } else if (isNeighbour) {
                around++;
            }
        }
        addTransaction(Activity.SPLIT, "insert", changes, random.nextInt(3) == 0, false);
    }

    private void addMerge() {
        List<Integer> ids = new ArrayList<>(state.rows.keySet());
        int from = random.nextInt(Math.max(1, ids.size() - ROWS_PER_MERGE));
        List<Change> changes = new ArrayList<>();
        for (int id : ids.subList(from, Math.min(ids.size(), from + ROWS_PER_MERGE))) {
            changes.add(new Change(id, null));
        }
        addTransaction(Activity.MERGE, "delete neighbours", changes, random.nextInt(3) == 0, true);
    }

    /** Rows that are there and some that are not; large values now and then. */
    private List<Change> changes() {
        List<Integer> ids = new ArrayList<>(state.rows.keySet());
        Collections.shuffle(ids, random);
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < ROWS_PER_CHANGE; i++) {
            int id = ids.get(i);
            int length = random.nextInt(9) == 0 ? 3_000 + random.nextInt(18_000) : random.nextInt(900);
            changes.add(new Change(id, random.nextInt(8) == 0 ? null : new Row(random.nextInt(KINDS), length)));
        }
        return changes;
    }

    private void addTransaction(
            Activity activity, String name, List<Change> changes, boolean checkpointWithin, boolean checkpointAfter) {
        add(
                activity,
                name + " " + changes.size() + " rows",
                host -> {
                    change(host.database(), changes, checkpointWithin);
                    if (checkpointAfter) {
                        host.database().checkpoint();
                    }
                },
                after(changes));
    }

    private State after(List<Change> changes) {
        State after = state.copy();
        for (Change change : changes) {
            if (change.rowOrNull == null) {
                after.rows.remove(change.id);
            } else {
                after.rows.put(change.id, change.rowOrNull);
            }
        }
        return after;
    }

    /** The second time nobody keeps the end of the file. */
    private void addCompaction() {
        List<Change> changes = changes();
        add(
                Activity.COMPACTION,
                "compact",
                host -> {
                    Database database = host.database();
                    database.run(transaction -> {
                        Writer writer = new Writer(database, transaction);
                        writer.apply(changes.subList(0, changes.size() / 2));
                        database.compact();
                        writer.apply(changes.subList(changes.size() / 2, changes.size()));
                    });
                    database.compact();
                },
                after(changes));
    }

    /** Of what is changed some pages are copied before, some after, and some after the checkpoint that writes them. */
    private void addBackup() {
        List<Change> changes = changes();
        Path target = Path.of("/copy-" + steps.size());
        State after = after(changes);
        steps.add(new Step(
                Activity.BACKUP,
                "back up",
                false,
                target,
                host -> host.backup(target, () -> change(host.database(), changes, false), () -> host.database()
                        .checkpoint()),
                after));
        state = after;
    }

    private static void change(Database database, List<Change> changes, boolean checkpointWithin) {
        database.run(transaction -> {
            Writer writer = new Writer(database, transaction);
            writer.apply(changes.subList(0, changes.size() / 2));
            if (checkpointWithin) {
                database.checkpoint();
            }
            writer.apply(changes.subList(changes.size() / 2, changes.size()));
        });
    }

    private void addRollback(boolean partly) {
        List<Change> first = changes();
        List<Change> second = changes();
        add(Activity.ROLLBACK, "roll back", host -> rollBack(host.database(), first, second, partly), state);
    }

    private static void rollBack(Database database, List<Change> first, List<Change> second, boolean partly) {
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            try {
                Writer writer = new Writer(database, transaction);
                writer.apply(first);
                Savepoint savepoint = transaction.savepoint();
                writer.apply(second);
                database.checkpoint();
                if (partly) {
                    transaction.rollbackTo(savepoint);
                    database.checkpoint();
                }
            } finally {
                transaction.rollback();
            }
        }
        database.checkpoint();
    }

    /** A transaction is open, and on disk in part, when the process ends. */
    private void addRecovery() {
        List<Change> lost = changes();
        boolean rollsBack = random.nextBoolean();
        add(Activity.CHANGE, "change and end", host -> leaveOpen(host, lost, rollsBack), state);
        addOpening(Activity.RECOVERY, "recover");
    }

    private static void leaveOpen(Host host, List<Change> lost, boolean rollsBack) {
        Database database = host.database();
        Session session = database.openSession();
        Transaction transaction = session.begin();
        boolean ends = false;
        try {
            Writer writer = new Writer(database, transaction);
            writer.apply(lost.subList(0, lost.size() / 2));
            Savepoint savepoint = transaction.savepoint();
            writer.apply(lost.subList(lost.size() / 2, lost.size()));
            database.checkpoint();
            if (rollsBack) {
                transaction.rollbackTo(savepoint);
            }
            ends = true;
        } finally {
            if (!ends) {
                transaction.rollback();
                session.close();
            }
        }
        host.kill();
    }

    private void addClose() {
        add(Activity.CLOSE, "close", Host::closeDatabase, state);
        addOpening(Activity.CLOSE, "open");
    }

    private void addOpening(Activity activity, String name) {
        steps.add(new Step(activity, name, true, null, Host::open, state));
    }

    private void addIndex() {
        State after = new State(new TreeMap<>(state.rows), true, !state.hasIndex);
        if (state.hasIndex) {
            add(Activity.SCHEMA, "drop index", host -> host.database().dropIndex(TABLE, INDEX), after);
        } else {
            IndexDefinition index = IndexDefinition.of(INDEX, TABLE, "kind", "id");
            add(Activity.SCHEMA, "create index", host -> host.database().createIndex(index), after);
        }
    }

    private void add(Activity activity, String name, Action action, State after) {
        steps.add(new Step(activity, name, false, null, action, after));
        state = after;
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

    /** Changes rows within one transaction. */
    private static final class Writer {
        private final Transaction transaction;
        private final Table table;
        private final Record row;

        Writer(Database database, Transaction transaction) {
            this.transaction = transaction;
            table = database.table(TABLE);
            row = table.newRecord();
        }

        void apply(List<Change> changes) {
            for (Change change : changes) {
                apply(change);
            }
        }

        private void apply(Change change) {
            Key key = table.newKey().add(change.id);
            boolean isThere = transaction.fetchForUpdate(table, key, row);
            if (change.rowOrNull == null) {
                transaction.delete(table, key);
                return;
            }
            row.clear();
            row.setInt(ID, change.id);
            row.setInt(KIND, change.rowOrNull.kind);
            row.setString(PAYLOAD, payload(change.id, change.rowOrNull.length));
            if (isThere) {
                transaction.update(table, row);
            } else {
                transaction.insert(table, row);
            }
        }
    }

    private static String payload(int id, int length) {
        char[] payload = new char[length];
        for (int i = 0; i < length; i++) {
            payload[i] = (char) ('a' + (i + id + length) % LETTERS);
        }
        return new String(payload);
    }

    @Override
    public String name() {
        return tornPageProtection == TornPageProtection.DOUBLE_WRITE ? "rows" : "rows with log images";
    }

    @Override
    public TornPageProtection tornPageProtection() {
        return tornPageProtection;
    }

    @Override
    public DiskImage before() {
        return new DiskImage();
    }

    @Override
    public int stepCount() {
        return steps.size();
    }

    @Override
    public String describe(int step) {
        return step < steps.size() ? "step " + step + " (" + steps.get(step).name + ")" : "the end";
    }

    @Override
    public boolean cutsFile() {
        return true;
    }

    @Override
    public boolean opens(int step) {
        return steps.get(step).opens;
    }

    @Override
    public Path copyOrNull(int step) {
        return steps.get(step).copyOrNull;
    }

    @Override
    public void apply(int step, Host host) {
        host.disk().activity(steps.get(step).activity);
        steps.get(step).action.apply(host);
    }

    @Override
    public int nodeTrend(int step) {
        return switch (steps.get(step).activity) {
            case SPLIT -> 1;
            case MERGE -> -1;
            default -> 0;
        };
    }

    @Override
    public int stepsFound(Database database, int stepsMin, int stepsMax) {
        database.validate();
        State found = read(database);
        for (int taken = stepsMin; taken <= Math.min(stepsMax, steps.size()); taken++) {
            if (found.equals(after(taken))) {
                return taken;
            }
        }
        throw new MismatchException("the database is not as after " + stepsMin + " to " + stepsMax + " steps: "
                + difference(after(stepsMin), found));
    }

    private State after(int taken) {
        return taken == 0 ? new State(new TreeMap<>(), false, false) : steps.get(taken - 1).after;
    }

    private static String difference(State expected, State found) {
        if (expected.hasTable != found.hasTable || expected.hasIndex != found.hasIndex) {
            return "table=" + found.hasTable + " index=" + found.hasIndex;
        }
        List<String> differences = new ArrayList<>();
        expected.rows.forEach((id, row) -> {
            if (!row.equals(found.rows.get(id))) {
                differences.add("id=" + id + " expected=" + row + " found=" + found.rows.get(id));
            }
        });
        found.rows.forEach((id, row) -> {
            if (!expected.rows.containsKey(id)) {
                differences.add("id=" + id + " found=" + row + " expected none");
            }
        });
        return differences.size() + " rows differ, the first " + (differences.isEmpty() ? "" : differences.getFirst());
    }

    private static State read(Database database) {
        if (!database.tableNames().contains(TABLE)) {
            return new State(new TreeMap<>(), false, false);
        }
        Table table = database.table(TABLE);
        TreeMap<Integer, Row> rows = new TreeMap<>();
        List<Long> entries = new ArrayList<>();
        database.run(transaction -> {
            rows.clear();
            entries.clear();
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    rows.put(row.getInt(ID), checked(row));
                    entries.add(entry(row));
                }
            }
            Collections.sort(entries);
            for (IndexDefinition index : table.definition().indexes()) {
                requireEntries(transaction, table, index.name(), entries);
            }
        });
        return new State(rows, true, table.definition().indexes().size() > 1);
    }

    private static Row checked(Record row) {
        String payload = row.getString(PAYLOAD);
        if (!payload.equals(payload(row.getInt(ID), payload.length()))) {
            throw new MismatchException("a row holds another payload than was ever written: id=" + row.getInt(ID));
        }
        return new Row(row.getInt(KIND), payload.length());
    }

    private static long entry(Record row) {
        return (long) row.getInt(KIND) << Integer.SIZE | row.getInt(ID);
    }

    private static void requireEntries(Transaction transaction, Table table, String index, List<Long> expected) {
        List<Long> entries = new ArrayList<>();
        Record row = table.newRecord();
        try (Cursor cursor = transaction.scan(table, index)) {
            while (cursor.next(row)) {
                entries.add(entry(row));
            }
        }
        if (!entries.equals(expected)) {
            throw new MismatchException("an index does not hold the rows of its table: index=" + index + " entries="
                    + entries.size() + " rows=" + expected.size());
        }
    }
}
