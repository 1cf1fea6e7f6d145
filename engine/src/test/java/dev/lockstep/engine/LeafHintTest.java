package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fetches and scans that go straight to the leaf where a key like theirs was found before: the leaf may have been
 * split, merged, evicted, or have become the page of another table meanwhile. Compared with a {@link TreeMap}.
 */
class LeafHintTest {
    /** Dense in places and sparse in others, so that neighbours share hints and leaves. */
    private static final int IDS = 3_000;

    private static final int ROUNDS = 60;

    /** 128 frames, fewer than the rows need, so that leaves leave the pool and their frames serve others. */
    private static final long SMALL_POOL_BYTES = 1 << 20;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    private static TableDefinition definition(String name) {
        return TableDefinition.named(name)
                .column("part", ColumnType.int16())
                .column("id", ColumnType.int32())
                .column("text", ColumnType.string(600))
                .primaryKey("part", "id")
                .build();
    }

    @Test
    void findsWhatIsThereWhileLeavesSplitAndMerge() {
        Seeds.each(6, seed -> new Work(validated.inMemory(), seed).run());
    }

    @Test
    void findsWhatIsThereWhileLeavesComeAndGo() {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(SMALL_POOL_BYTES)
                .build();
        Seeds.each(3, seed -> new Work(validated.open(directory.resolve("seed" + seed), options, null), seed).run());
    }

    /**
     * A leaf is evicted and comes back in another frame, where it changes. The frame that it left holds its old bytes
     * until another page needs it.
     */
    @Test
    void doesNotBelieveAFrameThatItsLeafHasLeft() {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(SMALL_POOL_BYTES)
                .build();
        Seeds.each(3, seed -> {
            Database database = validated.open(directory.resolve("left" + seed), options, null);
            Table table = database.createTable(definition("t"));
            SplittableRandom random = new SplittableRandom(seed);
            for (int from = 0; from < 2 * IDS; from += 500) {
                int first = from;
                database.run(transaction -> insertEverySecond(transaction, table, first, first + 500));
            }
            for (int round = 0; round < 40; round++) {
                database.run(transaction -> {
                    // Every leaf is seen, and by the end of it many have left their frames.
                    for (int id = 0; id < 2 * IDS; id += 2) {
                        assertTrue(transaction.fetch(table, key(table, id), table.newRecord()), "id=" + id);
                    }
                });
                for (int i = 0; i < 20; i++) {
                    int id = 2 * random.nextInt(IDS) + 1;
                    database.run(transaction -> {
                        if (!transaction.fetch(table, key(table, id), table.newRecord())) {
                            insertEverySecond(transaction, table, id, id + 1);
                        }
                        assertTrue(transaction.fetch(table, key(table, id), table.newRecord()), "id=" + id);
                        assertTrue(transaction.delete(table, key(table, id)));
                    });
                    database.run(transaction ->
                            assertFalse(transaction.fetch(table, key(table, id), table.newRecord()), "id=" + id));
                }
            }
        });
    }

    /**
     * Orders of customers in turn, by an index that has the whole primary key among its columns: the next entry of each
     * goes behind its last one, where one page is visited for it and one for the row.
     */
    @Test
    void anIndexThatHasThePrimaryKeyIsEnteredWhereTheLastLikeEntryWent() {
        Database database = validated.inMemory();
        Table orders = database.createTable(TableDefinition.named("orders")
                .column("district", ColumnType.int16())
                .column("id", ColumnType.int32())
                .column("customer", ColumnType.int32())
                .primaryKey("district", "id")
                .index("by_customer", "district", "customer", "id")
                .build());
        int customers = 300;
        int rounds = 20;
        try (Session session = database.openSession()) {
            long before = 0;
            for (int id = 0; id < customers * rounds; id++) {
                if (id == customers * (rounds - 1)) {
                    before = session.statistics().pageAccesses();
                }
                Record row = orders.newRecord();
                row.setInt(0, 1);
                row.setInt(1, id);
                row.setInt(2, id % customers);
                Transaction transaction = session.begin();
                transaction.insert(orders, row);
                transaction.commit();
            }
            double visits = (double) (session.statistics().pageAccesses() - before) / customers;
            assertTrue(visits < 2.3, "pages visited for each order, its entry included: " + visits);
        }
    }

    private static Key key(Table table, int id) {
        return table.newKey().add(id / 1_000).add(id);
    }

    /**
     * Rows that grow part eight neighbours, who share a hint. Whoever finds the first of them, where the hint has named
     * it, corrects what that says of the others; then each is found with one visit.
     */
    @Test
    void whoeverFindsARowLearnsWhichOfItsNeighboursHaveLeft() {
        Database database = validated.inMemory();
        Table table = database.createTable(TableDefinition.named("grows")
                .column("id", ColumnType.int32())
                .column("text", ColumnType.string(400))
                .primaryKey("id")
                .build());
        int rows = 1_000;
        try (Session session = database.openSession()) {
            Record row = table.newRecord();
            Transaction filling = session.begin();
            for (int id = 0; id < rows; id++) {
                row.clear().setInt(0, id);
                row.setString(1, "short");
                filling.insert(table, row);
            }
            filling.commit();
            for (int length = 50; length <= 400; length += 50) {
                String text = "x".repeat(length);
                Transaction growing = session.begin();
                for (int id = 0; id < rows; id++) {
                    assertTrue(growing.fetchForUpdate(table, table.newKey().add(id), row));
                    row.setString(1, text);
                    assertTrue(growing.update(table, row));
                }
                growing.commit();
                fetchAll(session, table, rows);
                fetchAll(session, table, rows);
                long before = session.statistics().pageAccesses();
                fetchAll(session, table, rows);
                assertEquals(rows, session.statistics().pageAccesses() - before, "pages visited, length=" + length);
            }
        }
    }

    private static void fetchAll(Session session, Table table, int rows) {
        Record row = table.newRecord();
        Transaction transaction = session.begin();
        for (int id = 0; id < rows; id++) {
            assertTrue(transaction.fetch(table, table.newKey().add(id), row));
        }
        transaction.commit();
    }

    private static void insertEverySecond(Transaction transaction, Table table, int from, int to) {
        Record row = table.newRecord();
        for (int id = from; id < to; id += 2) {
            row.clear();
            row.setInt(0, id / 1_000);
            row.setInt(1, id);
            row.setString(2, id + "x".repeat(300));
            transaction.insert(table, row);
        }
    }

    /** One table after the other in the same pages, with the same keys. */
    private static final class Work {
        private final Database database;
        private final SplittableRandom random;
        private final TreeMap<Integer, String> model = new TreeMap<>();
        private Table table;

        Work(Database database, long seed) {
            this.database = database;
            random = new SplittableRandom(seed);
        }

        void run() {
            for (int tables = 0; tables < 3; tables++) {
                table = database.createTable(definition("t" + tables % 2));
                for (int round = 0; round < ROUNDS; round++) {
                    database.run(this::change);
                    database.run(this::compare);
                }
                database.dropTable("t" + tables % 2);
                model.clear();
            }
        }

        /** Fills or empties a stretch of ids, so that leaves are split and merged there. */
        private void change(Transaction transaction) {
            Record row = table.newRecord();
            boolean fills = random.nextInt(100) < 55;
            int from = random.nextInt(IDS);
            int step = 1 + random.nextInt(3);
            for (int id = from; id < Math.min(IDS, from + 250); id += step) {
                if (!fills) {
                    assertEquals(model.remove(id) != null, transaction.delete(table, key(table, id)), "id=" + id);
                } else if (!model.containsKey(id)) {
                    String text = id + "x".repeat(random.nextInt(600 - 8));
                    row.clear();
                    row.setInt(0, id / 1_000);
                    row.setInt(1, id);
                    row.setString(2, text);
                    transaction.insert(table, row);
                    model.put(id, text);
                }
            }
        }

        private void compare(Transaction transaction) {
            Record row = table.newRecord();
            for (int i = 0; i < 60; i++) {
                int id = random.nextInt(IDS);
                assertEquals(model.containsKey(id), transaction.fetch(table, key(table, id), row), "id=" + id);
                if (model.containsKey(id)) {
                    assertEquals(model.get(id), row.getString(2));
                }
            }
            for (int i = 0; i < 20; i++) {
                int from = random.nextInt(IDS);
                Integer expected = model.ceilingKey(from);
                try (Cursor cursor = transaction.scan(table).from(key(table, from))) {
                    // Long enough to go on to the next leaf.
                    for (int n = 0; n < 15; n++) {
                        assertEquals(expected != null, cursor.next(row), "from=" + from + " n=" + n);
                        if (expected == null) {
                            break;
                        }
                        assertEquals(expected, row.getInt(1), "from=" + from + " n=" + n);
                        expected = model.higherKey(expected);
                    }
                }
            }
        }
    }
}
