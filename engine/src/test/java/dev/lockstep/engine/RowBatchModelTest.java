package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.engine.type.ColumnType;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random batches of inserts and updates beside single statements, savepoints and rollbacks, on a table with indexes and
 * on one without, compared with a {@link TreeMap} that takes row after row.
 */
class RowBatchModelTest {
    private static final int ID = 0;
    private static final int COUNT = 1;
    private static final int NAME = 2;
    private static final int AMOUNT = 3;
    private static final int PRICE = 4;

    /** Some leaves full of rows. */
    private static final int IDS = 400;

    /** More than one operation takes. */
    private static final int CAPACITY = 150;

    private static final int AMOUNTS = 3_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    /** A row of the model; {@code count} and {@code price} may be null. */
    private record Row(int id, Integer count, String name, long amount, BigDecimal price) {}

    private static TableDefinition definition(boolean indexed) {
        TableDefinition.Builder builder = TableDefinition.named("thing")
                .column("id", ColumnType.int32())
                .nullable("count", ColumnType.int32())
                .column("name", ColumnType.string(4_000))
                .column("amount", ColumnType.int64())
                .nullable("price", ColumnType.decimal(30, 2))
                .primaryKey("id");
        return indexed
                ? builder.index("by_count", "count")
                        .uniqueIndex("by_amount", "amount")
                        .build()
                : builder.build();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void agreesWithTheModelInMemory(boolean indexed) {
        Seeds.each(8, seed -> {
            Database database = validated.inMemory();
            database.createTable(definition(indexed));
            new Work(database, indexed, seed).run(80);
            validated.close(database);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void agreesWithTheModelOverReopeningAndCrashes(boolean indexed) {
        Seeds.each(2, seed -> {
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
                    TransactionModelTest.createMarks(database);
                    database.createTable(definition(indexed));
                }
                Work work = new Work(database, indexed, seed * 100 + round);
                work.model = model;
                database.run(work::compare);
                work.run(25);
                model = work.model;
                if (round % 2 == 0) {
                    work.leaveOpen();
                    TransactionModelTest.commitDurably(database, round);
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
        private final boolean indexed;
        private final SplittableRandom random;
        private final Record row;
        private final RowBatch batch;
        private TreeMap<Integer, Row> model = new TreeMap<>();

        Work(Database database, boolean indexed, long seed) {
            this.database = database;
            this.indexed = indexed;
            table = database.table("thing");
            random = new SplittableRandom(seed);
            row = table.newRecord();
            batch = table.newBatch(CAPACITY);
        }

        void run(int transactions) {
            try (Session session = database.openSession()) {
                for (int i = 0; i < transactions; i++) {
                    transaction(session);
                    if (i % 20 == 0) {
                        ValidatedDatabase.examine(database);
                    }
                }
            }
            database.run(this::compare);
        }

        /** Leaves changes behind that a recovery has to take back. */
        void leaveOpen() {
            TreeMap<Integer, Row> before = new TreeMap<>(model);
            Transaction open = database.openSession().begin();
            for (int i = 0; i < 4; i++) {
                statement(open);
            }
            model = before;
        }

        private void transaction(Session session) {
            TreeMap<Integer, Row> before = new TreeMap<>(model);
            Isolation[] levels = Isolation.values();
            Transaction transaction = session.begin(database.transactionOptions()
                    .withIsolation(levels[random.nextInt(levels.length)])
                    .withDurability(Durability.ASYNC));
            Savepoint savepoint = null;
            TreeMap<Integer, Row> atSavepoint = null;
            for (int i = 1 + random.nextInt(8); i > 0; i--) {
                int dice = random.nextInt(10);
                if (dice == 0) {
                    savepoint = transaction.savepoint();
                    atSavepoint = new TreeMap<>(model);
                } else if (dice == 1 && savepoint != null) {
                    transaction.rollbackTo(savepoint);
                    model = new TreeMap<>(atSavepoint);
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
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> insertBatch(transaction);
                case 3, 4, 5 -> updateBatch(transaction);
                case 6 -> updateUnseen(transaction);
                default -> {
                    int from = random.nextInt(IDS);
                    for (int id = from; id < from + random.nextInt(60); id++) {
                        assertEquals(
                                model.remove(id) != null,
                                transaction.delete(table, table.newKey().add(id)));
                    }
                }
            }
        }

        /** Ids to insert or to update: neighbours in order, or anything. */
        private List<Integer> ids(boolean mostlyAbsent) {
            List<Integer> ids = new ArrayList<>();
            int count = random.nextInt(random.nextInt(5) == 0 ? CAPACITY : 20);
            boolean ordered = random.nextInt(4) != 0;
            int id = random.nextInt(IDS);
            while (ids.size() < count) {
                boolean taken = model.containsKey(id) || ids.contains(id);
                if (!mostlyAbsent || !taken || random.nextInt(100) == 0) {
                    ids.add(id);
                }
                id = ordered ? id + 1 : random.nextInt(mostlyAbsent ? 3 * IDS : IDS);
            }
            return ids;
        }

        private Row randomRow(int id) {
            int length = random.nextInt(60) == 0 ? 3_000 : random.nextInt(10) == 0 ? 900 : random.nextInt(60);
            return new Row(
                    id,
                    random.nextInt(3) == 0 ? null : random.nextInt(9),
                    "n".repeat(length) + random.nextInt(10),
                    random.nextInt(40) == 0 ? random.nextInt(AMOUNTS) : random.nextLong(),
                    random.nextInt(3) == 0 ? null : BigDecimal.valueOf(random.nextLong(), 2));
        }

        private void fill(Record record, Row from) {
            record.setInt(ID, from.id);
            putCount(record, from.count);
            record.setString(NAME, from.name);
            record.setLong(AMOUNT, from.amount);
            record.setDecimal(PRICE, from.price);
        }

        private static void putCount(Record record, Integer count) {
            if (count == null) {
                record.setNull(COUNT);
            } else {
                record.setInt(COUNT, count);
            }
        }

        /** Puts a row into a model, unless its amount belongs to another one already. */
        private boolean put(Map<Integer, Row> rows, Row next) {
            if (indexed
                    && rows.values().stream().anyMatch(other -> other.id != next.id && other.amount == next.amount)) {
                return false;
            }
            rows.put(next.id, next);
            return true;
        }

        private void insertBatch(Transaction transaction) {
            batch.clear();
            TreeMap<Integer, Row> after = new TreeMap<>(model);
            boolean taken = false;
            for (int id : ids(true)) {
                Row next = randomRow(id);
                fill(batch.addRow(), next);
                taken |= after.containsKey(id) || !put(after, next);
            }
            if (taken) {
                assertThrows(DuplicateKeyException.class, () -> transaction.insert(table, batch));
            } else {
                transaction.insert(table, batch);
                model = after;
            }
        }

        /** Rows that were read and changed in some columns; some of them were touched since. */
        private void updateBatch(Transaction transaction) {
            batch.clear();
            List<Integer> ids = ids(false);
            ids.forEach(id -> batch.addKey().add(id));
            int found =
                    random.nextBoolean() ? transaction.fetchForUpdate(table, batch) : transaction.fetch(table, batch);
            assertEquals(ids.stream().filter(model::containsKey).count(), found);
            boolean onlyFixed = random.nextBoolean();
            boolean notIndexed = random.nextBoolean();
            List<Row> changed = new ArrayList<>();
            for (int i = 0; i < ids.size(); i++) {
                changed.add(
                        batch.found(i) ? change(batch.record(i), model.get(ids.get(i)), onlyFixed, notIndexed) : null);
            }
            if (!ids.isEmpty() && random.nextInt(3) == 0) {
                touch(transaction, ids.get(random.nextInt(ids.size())));
            }
            TreeMap<Integer, Row> after = new TreeMap<>(model);
            boolean taken = false;
            int there = 0;
            for (Row next : changed) {
                if (next != null && after.containsKey(next.id)) {
                    there++;
                    taken |= !put(after, next);
                }
            }
            if (taken) {
                assertThrows(DuplicateKeyException.class, () -> transaction.update(table, batch));
            } else {
                assertEquals(there, transaction.update(table, batch));
                model = after;
                for (int i = 0; i < ids.size(); i++) {
                    assertEquals(changed.get(i) != null && model.containsKey(ids.get(i)), batch.found(i));
                }
            }
        }

        /** Changes some columns of a record that was read; which row it is then. */
        private Row change(Record record, Row from, boolean onlyFixed, boolean notIndexed) {
            Row next = randomRow(from.id);
            Integer count = from.count;
            if (!notIndexed && random.nextBoolean()) {
                count = next.count;
                putCount(record, count);
            }
            String name = from.name;
            if (!onlyFixed && random.nextBoolean()) {
                name = next.name;
                record.setString(NAME, name);
            }
            long amount = from.amount;
            if ((!indexed || !notIndexed) && random.nextBoolean()) {
                amount = next.amount;
                record.setLong(AMOUNT, amount);
            }
            BigDecimal price = from.price;
            if (random.nextBoolean()) {
                price = next.price;
                record.setDecimal(PRICE, price);
            }
            return new Row(from.id, count, name, amount, price);
        }

        /** Something between the fetch of a row and its update. */
        private void touch(Transaction transaction, int id) {
            if (!model.containsKey(id)) {
                return;
            }
            if (random.nextBoolean()) {
                transaction.delete(table, table.newKey().add(id));
                model.remove(id);
                return;
            }
            transaction.fetch(table, table.newKey().add(id), row);
            Row next = change(row, model.get(id), random.nextBoolean(), true);
            if (!indexed || next.amount == model.get(id).amount) {
                transaction.update(table, row);
                model.put(id, next);
            }
        }

        /** Rows that nobody has read. */
        private void updateUnseen(Transaction transaction) {
            batch.clear();
            TreeMap<Integer, Row> after = new TreeMap<>(model);
            boolean taken = false;
            int there = 0;
            for (int id : ids(false)) {
                Row next = randomRow(id);
                fill(batch.addRow(), next);
                if (after.containsKey(id)) {
                    there++;
                    taken |= !put(after, next);
                }
            }
            if (taken) {
                assertThrows(DuplicateKeyException.class, () -> transaction.update(table, batch));
            } else {
                assertEquals(there, transaction.update(table, batch));
                model = after;
            }
        }

        private void compare(Transaction transaction) {
            TreeMap<Integer, Row> actual = new TreeMap<>();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    Row read = new Row(
                            row.getInt(ID),
                            row.isNull(COUNT) ? null : row.getInt(COUNT),
                            row.getString(NAME),
                            row.getLong(AMOUNT),
                            row.getDecimal(PRICE));
                    actual.put(read.id, read);
                    if (!Objects.equals(read, model.get(read.id))) {
                        assertEquals(model.get(read.id), read);
                    }
                }
            }
            assertEquals(model, actual);
        }
    }
}
