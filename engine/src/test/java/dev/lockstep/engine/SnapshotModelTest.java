package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Snapshots beside several open transactions that change everything in all ways there are: a snapshot has what a {@link
 * TreeMap} of the committed rows had when it began, whatever happens afterwards, and by whatever way it is read.
 */
class SnapshotModelTest {
    private static final int ID = 0;
    private static final int GROUP = 1;
    private static final int CODE = 2;
    private static final int COUNTER = 3;
    private static final int NAME = 4;
    private static final int IDS = 400;
    private static final int GROUPS = 12;
    private static final int WRITERS = 4;
    private static final int SNAPSHOTS_MAX = 3;
    private static final int BATCH_ROWS = 16;
    private static final int LONG_NAME_BYTES = 12_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private record Row(int id, int group, int code, long counter, String name) {}

    private static TableDefinition definition() {
        return TableDefinition.named("thing")
                .column("id", ColumnType.int32())
                .column("group", ColumnType.int32())
                .column("code", ColumnType.int32())
                .column("counter", ColumnType.int64())
                .column("name", ColumnType.string(LONG_NAME_BYTES))
                .primaryKey("id")
                .index("by_group", "group")
                .uniqueIndex("by_code", "code")
                .build();
    }

    @Test
    void hasWhatWasCommittedWhenItBegan() {
        Seeds.each(6, seed -> {
            Database database = validated.inMemory();
            new Work(database, seed, definition()).run(2_500);
            validated.close(database);
        });
    }

    @Test
    void hasItWithoutIndexesWhereBatchesAreRuns() {
        Seeds.each(4, seed -> {
            Database database = validated.inMemory();
            new Work(
                            database,
                            seed,
                            TableDefinition.named("thing")
                                    .column("id", ColumnType.int32())
                                    .column("group", ColumnType.int32())
                                    .column("code", ColumnType.int32())
                                    .column("counter", ColumnType.int64())
                                    .column("name", ColumnType.string(LONG_NAME_BYTES))
                                    .primaryKey("id")
                                    .build())
                    .run(2_500);
            validated.close(database);
        });
    }

    @Test
    void hasItWithALogAndAPoolThatIsTooSmall() {
        Seeds.each(2, seed -> {
            DatabaseOptions options = ValidatedDatabase.SMALLEST.toBuilder()
                    .durability(Durability.ASYNC)
                    .durableSnapshots(false)
                    .build();
            Path own = Files.createDirectory(directory.resolve("seed" + seed));
            Database database = validated.open(own, options, null);
            new Work(database, seed, definition()).run(2_000);
            validated.close(database);
        });
    }

    /** Commits go to the disk now and then; what a snapshot may show is what had gone there when it began. */
    @Test
    void hasWhatWasDurableWhenItBegan() {
        Seeds.each(4, seed -> {
            HeldStorage disk = new HeldStorage(new FaultyStorage(seed));
            boolean answersEarly = seed % 2 == 0;
            LogOptions log = answersEarly ? LogOptions.async() : LogOptions.sync();
            DatabaseOptions options = DatabaseOptions.builder()
                    .createIfMissing(true)
                    .durability(answersEarly ? Durability.ASYNC : Durability.SYNC)
                    .poolBytes(32 << 20)
                    .build();
            Database database = Database.open(disk, Path.of("/database"), options, null, log.withClock(disk.clock()));
            validated.track(database);
            try {
                new Work(database, seed, definition(), disk).run(2_500);
            } finally {
                disk.release();
            }
            validated.close(database);
        });
    }

    /** A snapshot and what it has to hold. */
    private record Seen(Session session, Transaction transaction, NavigableMap<Integer, Row> rows) {}

    /** A transaction that changes rows of its own share, and what it has made of them. */
    private static final class Writer {
        final Session session;
        Transaction transaction;
        NavigableMap<Integer, Row> rows;
        final List<Savepoint> savepoints = new ArrayList<>();
        final List<NavigableMap<Integer, Row>> rowsAtSavepoints = new ArrayList<>();

        Writer(Session session) {
            this.session = session;
        }
    }

    /** The model, the random numbers and what they decide. All transactions belong to one thread. */
    private static final class Work {
        private final Database database;
        private final Table table;
        private final boolean indexed;
        private final SplittableRandom random;
        private final Record row;
        private final List<Writer> writers = new ArrayList<>();
        private final List<Seen> snapshots = new ArrayList<>();
        private NavigableMap<Integer, Row> committed = new TreeMap<>();

        /** What forces of the log wait for; null where commits wait for none. */
        private final HeldStorage held;

        private final PendingCommit pending;
        private NavigableMap<Integer, Row> durable = new TreeMap<>();
        private int nextCode;

        Work(Database database, long seed, TableDefinition definition) {
            this(database, seed, definition, null);
        }

        Work(Database database, long seed, TableDefinition definition, HeldStorage held) {
            this.database = database;
            this.held = held;
            pending = database.newPendingCommit();
            table = database.createTable(definition);
            indexed = !definition.indexes().isEmpty();
            random = new SplittableRandom(seed);
            row = table.newRecord();
        }

        void run(int steps) {
            for (int i = 0; i < WRITERS; i++) {
                writers.add(new Writer(database.openSession()));
            }
            force();
            for (int i = 0; i < steps; i++) {
                int dice = random.nextInt(100);
                if (held != null && random.nextInt(60) == 0) {
                    force();
                }
                if (dice < 6 && snapshots.size() < SNAPSHOTS_MAX) {
                    open();
                } else if (dice < 12 && !snapshots.isEmpty()) {
                    compare(snapshots.get(random.nextInt(snapshots.size())));
                } else if (dice < 16 && !snapshots.isEmpty()) {
                    close(random.nextInt(snapshots.size()));
                } else {
                    change(random.nextInt(WRITERS));
                }
            }
            for (Writer writer : writers) {
                end(writer, true);
                writer.session.close();
            }
            while (!snapshots.isEmpty()) {
                close(0);
            }
            open();
            close(0);
            if (held != null) {
                force();
                held.release();
                open();
                close(0);
            } else {
                assertNull(database.instance().transactions().versionsVolatile());
            }
        }

        /** Has the disk take what was committed, and nothing that is committed later. */
        private void force() {
            if (held != null) {
                held.release();
                pending.await();
                database.checkpoint();
                held.holdLogForces();
                durable = committed;
            }
        }

        private void open() {
            Session session = database.openSession();
            Transaction transaction =
                    session.begin(database.transactionOptions().readOnlySnapshot());
            snapshots.add(new Seen(session, transaction, new TreeMap<>(held == null ? committed : durable)));
        }

        private void close(int index) {
            Seen seen = snapshots.remove(index);
            compare(seen);
            if (random.nextBoolean()) {
                seen.transaction.commit();
            } else {
                seen.transaction.rollback();
            }
            seen.session.close();
        }

        private void change(int number) {
            Writer writer = writers.get(number);
            if (writer.transaction == null) {
                writer.transaction =
                        writer.session.begin(database.transactionOptions().withIsolation(Isolation.READ_COMMITTED));
                writer.rows = new TreeMap<>(committed);
            }
            int dice = random.nextInt(60);
            if (dice == 0) {
                end(writer, random.nextInt(3) > 0);
            } else if (dice < 4) {
                writer.savepoints.add(writer.transaction.savepoint());
                writer.rowsAtSavepoints.add(new TreeMap<>(writer.rows));
            } else if (dice < 7 && !writer.savepoints.isEmpty()) {
                int to = random.nextInt(writer.savepoints.size());
                writer.transaction.rollbackTo(writer.savepoints.get(to));
                writer.rows = new TreeMap<>(writer.rowsAtSavepoints.get(to));
                writer.savepoints.subList(to + 1, writer.savepoints.size()).clear();
                writer.rowsAtSavepoints
                        .subList(to + 1, writer.rowsAtSavepoints.size())
                        .clear();
            } else if (dice < 12) {
                changeBatch(writer, number);
            } else {
                changeRow(writer, idOf(number));
            }
        }

        /** An id that no other writer uses. */
        private int idOf(int writer) {
            return random.nextInt(IDS / WRITERS) * WRITERS + writer;
        }

        private void changeRow(Writer writer, int id) {
            Row had = writer.rows.get(id);
            if (had == null) {
                Row made = newRow(id);
                fill(made);
                writer.transaction.insert(table, row);
                writer.rows.put(id, made);
            } else if (random.nextInt(4) == 0) {
                assertTrue(writer.transaction.delete(table, key(id)));
                writer.rows.remove(id);
            } else {
                assertTrue(writer.transaction.fetchForUpdate(table, key(id), row));
                Row made = changed(had);
                set(had, made);
                assertTrue(writer.transaction.update(table, row));
                writer.rows.put(id, made);
            }
        }

        private void set(Row had, Row made) {
            if (made.group != had.group) {
                row.setInt(GROUP, made.group);
            }
            if (made.counter != had.counter) {
                row.setLong(COUNTER, made.counter);
            }
            if (!made.name.equals(had.name)) {
                row.setString(NAME, made.name);
            }
        }

        private Row changed(Row had) {
            return switch (random.nextInt(4)) {
                case 0 -> new Row(had.id, random.nextInt(GROUPS), had.code, had.counter, had.name);
                case 1 -> new Row(had.id, had.group, had.code, had.counter, name());
                default -> new Row(had.id, had.group, had.code, had.counter + 1, had.name);
            };
        }

        private Row newRow(int id) {
            return new Row(id, random.nextInt(GROUPS), nextCode++, random.nextInt(), name());
        }

        private String name() {
            int dice = random.nextInt(30);
            int bytes = dice == 0 ? 2_000 + random.nextInt(LONG_NAME_BYTES - 2_000) : random.nextInt(120);
            return String.valueOf((char) ('a' + random.nextInt(26))).repeat(bytes);
        }

        /** Rows that follow each other among those of the writer, inserted or updated together. */
        private void changeBatch(Writer writer, int number) {
            RowBatch batch = table.newBatch(BATCH_ROWS);
            int first = random.nextInt(IDS / WRITERS - BATCH_ROWS);
            List<Integer> ids = new ArrayList<>();
            boolean insert = random.nextBoolean();
            for (int i = first; i < first + BATCH_ROWS; i++) {
                int id = i * WRITERS + number;
                if (writer.rows.containsKey(id) != insert) {
                    ids.add(id);
                }
            }
            if (insert) {
                for (int id : ids) {
                    Row made = newRow(id);
                    writer.rows.put(id, made);
                    fill(made, batch.addRow());
                }
                writer.transaction.insert(table, batch);
                return;
            }
            for (int id : ids) {
                batch.addKey().add(id);
            }
            assertEquals(ids.size(), writer.transaction.fetchForUpdate(table, batch));
            for (int i = 0; i < ids.size(); i++) {
                Row had = writer.rows.get(ids.get(i));
                batch.record(i).setLong(COUNTER, had.counter + 1);
                writer.rows.put(had.id, new Row(had.id, had.group, had.code, had.counter + 1, had.name));
            }
            assertEquals(ids.size(), writer.transaction.update(table, batch));
        }

        private void end(Writer writer, boolean commit) {
            if (writer.transaction == null) {
                return;
            }
            if (commit) {
                int number = writers.indexOf(writer);
                if (held == null) {
                    writer.transaction.commit();
                } else {
                    writer.transaction.commit(pending);
                }
                NavigableMap<Integer, Row> next = new TreeMap<>(committed);
                next.keySet().removeIf(id -> id % WRITERS == number);
                writer.rows.forEach((id, made) -> {
                    if (id % WRITERS == number) {
                        next.put(id, made);
                    }
                });
                committed = next;
            } else {
                writer.transaction.rollback();
            }
            writer.transaction = null;
            writer.savepoints.clear();
            writer.rowsAtSavepoints.clear();
        }

        private void fill(Row made) {
            fill(made, row);
        }

        private static void fill(Row made, Record into) {
            into.clear();
            into.setInt(ID, made.id);
            into.setInt(GROUP, made.group);
            into.setInt(CODE, made.code);
            into.setLong(COUNTER, made.counter);
            into.setString(NAME, made.name);
        }

        private Key key(int id) {
            return table.newKey().add(id);
        }

        private static Row of(Record from) {
            return new Row(
                    from.getInt(ID),
                    from.getInt(GROUP),
                    from.getInt(CODE),
                    from.getLong(COUNTER),
                    from.getString(NAME));
        }

        private void compare(Seen seen) {
            compareFetches(seen);
            compareScan(seen, false);
            compareScan(seen, true);
            compareBatches(seen);
            if (indexed) {
                compareIndex(seen, false);
                compareIndex(seen, true);
                compareKeys(seen);
            }
        }

        private void compareFetches(Seen seen) {
            for (int i = 0; i < 20; i++) {
                int id = random.nextInt(IDS);
                Row expected = seen.rows.get(id);
                boolean found = seen.transaction.fetch(table, key(id), row);
                assertEquals(expected, found ? of(row) : null, "id=" + id);
            }
        }

        private void compareScan(Seen seen, boolean backward) {
            int from = random.nextInt(IDS);
            int to = from + random.nextInt(IDS - from);
            NavigableMap<Integer, Row> range = seen.rows.subMap(from, true, to, true);
            List<Row> found = new ArrayList<>();
            try (Cursor cursor = seen.transaction.scan(table).from(key(from)).to(key(to))) {
                if (backward) {
                    cursor.backward();
                }
                while (cursor.next(row)) {
                    found.add(of(row));
                }
            }
            assertEquals(new ArrayList<>((backward ? range.descendingMap() : range).values()), found);
        }

        private void compareBatches(Seen seen) {
            RowBatch batch = table.newBatch(BATCH_ROWS);
            List<Row> found = new ArrayList<>();
            try (Cursor cursor = seen.transaction.scan(table)) {
                while (cursor.next(batch) > 0) {
                    for (int i = 0; i < batch.size(); i++) {
                        found.add(of(batch.record(i)));
                    }
                }
            }
            assertEquals(new ArrayList<>(seen.rows.values()), found);
            batch.clear();
            int first = random.nextInt(IDS);
            for (int i = 0; i < BATCH_ROWS; i++) {
                batch.addKey().add(first + i);
            }
            assertEquals(seen.rows.subMap(first, first + BATCH_ROWS).size(), seen.transaction.fetch(table, batch));
            for (int i = 0; i < BATCH_ROWS; i++) {
                assertEquals(seen.rows.get(first + i), batch.found(i) ? of(batch.record(i)) : null);
            }
        }

        private void compareIndex(Seen seen, boolean backward) {
            int group = random.nextInt(GROUPS);
            Comparator<Row> order = Comparator.comparingInt(Row::id);
            List<Row> expected = seen.rows.values().stream()
                    .filter(had -> had.group == group)
                    .sorted(backward ? order.reversed() : order)
                    .toList();
            List<Row> found = new ArrayList<>();
            try (Cursor cursor = seen.transaction
                    .scan(table, "by_group")
                    .within(table.newIndexKey("by_group").add(group))) {
                if (backward) {
                    cursor.backward();
                }
                while (cursor.next(row)) {
                    found.add(of(row));
                }
            }
            assertEquals(expected, found);
        }

        private void compareKeys(Seen seen) {
            List<Integer> expected = seen.rows.values().stream()
                    .sorted(Comparator.comparingInt(Row::code))
                    .map(Row::id)
                    .toList();
            List<Integer> found = new ArrayList<>();
            RowBatch batch = table.newBatch(BATCH_ROWS);
            try (Cursor cursor = seen.transaction.scan(table, "by_code")) {
                while (cursor.nextKeys(batch) > 0) {
                    assertEquals(batch.size(), seen.transaction.fetch(table, batch));
                    for (int i = 0; i < batch.size(); i++) {
                        found.add(batch.record(i).getInt(ID));
                    }
                }
            }
            assertEquals(expected, found);
        }
    }
}
