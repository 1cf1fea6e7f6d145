package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random transactions on a table with indexes of all kinds, with savepoints, rollbacks and statements that fail,
 * compared with a {@link TreeMap} inside each transaction and after it.
 */
class TransactionModelTest {
    private static final int ID = 0;
    private static final int GROUP = 1;
    private static final int CODE = 2;
    private static final int NAME = 3;
    private static final int CODES = 60;
    private static final int IDS = 120;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    /** A row of the model; {@code group} and {@code code} may be null, {@code code} is unique where it is not. */
    private record Row(int id, Integer group, Integer code, String name) {}

    private static TableDefinition definition() {
        return TableDefinition.named("thing")
                .column("id", ColumnType.int32())
                .nullable("group", ColumnType.int32())
                .nullable("code", ColumnType.int32())
                .column("name", ColumnType.string(950))
                .primaryKey("id")
                .index("by_group", "group")
                .uniqueIndex("by_code", "code")
                .index("by_name", "name")
                .build();
    }

    /** Makes what was logged so far durable, but writes no pages: behind a crash all is to be repeated. */
    static void commitDurably(Database database, int round) {
        Table marks = database.table("mark");
        Record mark = marks.newRecord();
        mark.setInt(ID, round);
        database.run(
                database.transactionOptions().withDurability(Durability.SYNC),
                transaction -> transaction.insert(marks, mark));
    }

    static void createMarks(Database database) {
        database.createTable(TableDefinition.named("mark")
                .column("round", ColumnType.int32())
                .primaryKey("round")
                .build());
    }

    @Test
    void agreesWithTheModelInMemory() {
        Seeds.each(10, seed -> {
            Database database = validated.inMemory();
            database.createTable(definition());
            new Work(database, seed).run(150);
            validated.close(database);
        });
    }

    @Test
    void agreesWithTheModelOverReopeningAndCrashes() {
        Seeds.each(3, seed -> {
            DatabaseOptions options = DatabaseOptions.builder()
                    .createIfMissing(true)
                    .durability(Durability.SYNC)
                    .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                    .build();
            Path own = Files.createDirectory(directory.resolve("seed" + seed));
            TreeMap<Integer, Row> model = new TreeMap<>();
            for (int round = 0; round < 4; round++) {
                Database database = validated.open(own, options, null);
                assertEquals(round % 2 == 1, database.status().recovery().recordCount() > 0);
                if (round == 0) {
                    createMarks(database);
                    database.createTable(definition());
                }
                Work work = new Work(database, seed * 100 + round);
                work.model = model;
                work.compareCommitted();
                work.run(40);
                model = work.model;
                if (round % 2 == 0) {
                    commitDurably(database, round);
                    database.abandon();
                } else {
                    validated.close(database);
                }
            }
        });
    }

    /** The model, the random numbers and what they decide. */
    private static final class Work {
        private final Database database;
        private final Table table;
        private final SplittableRandom random;
        private final Record row;
        private TreeMap<Integer, Row> model = new TreeMap<>();

        Work(Database database, long seed) {
            this.database = database;
            table = database.table("thing");
            random = new SplittableRandom(seed);
            row = table.newRecord();
        }

        void run(int transactions) {
            try (Session session = database.openSession()) {
                for (int i = 0; i < transactions; i++) {
                    transaction(session);
                    if (i % 20 == 0) {
                        compareCommitted();
                        ValidatedDatabase.examine(database);
                    }
                }
            }
        }

        private void transaction(Session session) {
            TreeMap<Integer, Row> before = new TreeMap<>(model);
            Isolation[] levels = Isolation.values();
            Transaction transaction = session.begin(database.transactionOptions()
                    .withIsolation(levels[random.nextInt(levels.length)])
                    .withDurability(Durability.ASYNC));
            List<Savepoint> savepoints = new ArrayList<>();
            List<TreeMap<Integer, Row>> models = new ArrayList<>();
            int steps = 1 + random.nextInt(25);
            for (int i = 0; i < steps; i++) {
                int dice = random.nextInt(12);
                if (dice == 0) {
                    savepoints.add(transaction.savepoint());
                    models.add(new TreeMap<>(model));
                } else if (dice == 1 && !savepoints.isEmpty()) {
                    int to = random.nextInt(savepoints.size());
                    transaction.rollbackTo(savepoints.get(to));
                    model = new TreeMap<>(models.get(to));
                    savepoints.subList(to + 1, savepoints.size()).clear();
                    models.subList(to + 1, models.size()).clear();
                } else {
                    statement(transaction);
                }
            }
            if (random.nextInt(3) == 0) {
                compare(transaction);
            }
            if (random.nextInt(4) == 0) {
                transaction.rollback();
                model = before;
            } else {
                transaction.commit();
            }
        }

        private void statement(Transaction transaction) {
            Row next = randomRow();
            Row present = model.get(next.id);
            switch (random.nextInt(6)) {
                case 0, 1 -> insert(transaction, next, present);
                case 2 -> update(transaction, next, present, false);
                case 3 -> update(transaction, next, present, true);
                case 4 -> {
                    assertEquals(
                            present != null,
                            transaction.delete(table, table.newKey().add(next.id)));
                    model.remove(next.id);
                }
                default -> {
                    assertEquals(
                            present != null,
                            transaction.fetch(table, table.newKey().add(next.id), row));
                    if (present != null) {
                        assertEquals(present, read(row));
                    }
                }
            }
        }

        private void insert(Transaction transaction, Row next, Row present) {
            fill(next);
            if (present != null || takesCodeOfAnother(next)) {
                assertThrows(DuplicateKeyException.class, () -> transaction.insert(table, row));
            } else {
                transaction.insert(table, row);
                model.put(next.id, next);
            }
        }

        /** Blind, or with the row fetched and then changed in some columns. */
        private void update(Transaction transaction, Row drawn, Row present, boolean fetched) {
            Row next = drawn;
            if (fetched) {
                assertEquals(
                        present != null,
                        random.nextBoolean()
                                ? transaction.fetch(table, table.newKey().add(drawn.id), row)
                                : transaction.fetchForUpdate(
                                        table, table.newKey().add(drawn.id), row));
                if (present == null) {
                    return;
                }
                next = new Row(
                        drawn.id,
                        random.nextBoolean() ? drawn.group : present.group,
                        random.nextBoolean() ? drawn.code : present.code,
                        random.nextBoolean() ? drawn.name : present.name);
                change(present, next);
            } else {
                fill(drawn);
            }
            if (present != null && takesCodeOfAnother(next)) {
                assertThrows(DuplicateKeyException.class, () -> transaction.update(table, row));
            } else {
                assertEquals(present != null, transaction.update(table, row));
                if (present != null) {
                    model.put(next.id, next);
                }
            }
        }

        private void change(Row present, Row next) {
            if (!Objects.equals(present.group, next.group)) {
                put(GROUP, next.group);
            }
            if (!Objects.equals(present.code, next.code)) {
                put(CODE, next.code);
            }
            if (!present.name.equals(next.name)) {
                row.setString(NAME, next.name);
            }
        }

        private boolean takesCodeOfAnother(Row next) {
            return next.code != null
                    && model.values().stream().anyMatch(other -> other.id != next.id && next.code.equals(other.code));
        }

        private Row randomRow() {
            int nameLength = random.nextInt(12) == 0 ? 700 + random.nextInt(200) : random.nextInt(120);
            return new Row(
                    random.nextInt(IDS),
                    random.nextInt(5) == 0 ? null : random.nextInt(8),
                    random.nextInt(3) == 0 ? null : random.nextInt(CODES),
                    "n".repeat(nameLength) + random.nextInt(10));
        }

        private void fill(Row from) {
            row.clear();
            row.setInt(ID, from.id);
            put(GROUP, from.group);
            put(CODE, from.code);
            row.setString(NAME, from.name);
        }

        private void put(int column, Integer value) {
            if (value == null) {
                row.setNull(column);
            } else {
                row.setInt(column, value);
            }
        }

        private static Row read(Record row) {
            return new Row(
                    row.getInt(ID),
                    row.isNull(GROUP) ? null : row.getInt(GROUP),
                    row.isNull(CODE) ? null : row.getInt(CODE),
                    row.getString(NAME));
        }

        void compareCommitted() {
            database.run(this::compare);
        }

        private void compare(Transaction transaction) {
            TreeMap<Integer, Row> actual = new TreeMap<>();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    actual.put(row.getInt(ID), read(row));
                }
            }
            assertEquals(model, actual);
            int low = random.nextInt(8);
            int count = 0;
            try (Cursor cursor = transaction
                    .scan(table, "by_group")
                    .from(table.newIndexKey("by_group").add(low))
                    .backward()) {
                while (cursor.next(row)) {
                    assertFalse(row.isNull(GROUP));
                    assertEquals(model.get(row.getInt(ID)), read(row));
                    count++;
                }
            }
            assertEquals(
                    model.values().stream()
                            .filter(each -> each.group != null && each.group >= low)
                            .count(),
                    count);
        }
    }
}
