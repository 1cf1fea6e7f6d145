package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random changes of tables with large values and indexes, of the schema, savepoints, rollbacks, snapshots, crashes, and
 * compactions wherever they may be: while a transaction has changed values, after it has taken that back, while
 * snapshots are open. After each step a model tells what there is.
 */
class CompactionModelTest {
    private static final int TABLES_MAX = 4;
    private static final int IDS = 40;
    private static final int STEPS = 120;
    private static final int VALUE_LENGTH_MAX = 400_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    private record Value(int kind, int length) {}

    private static final class Run {
        private final Random random;
        private final Map<String, Map<Integer, Value>> model = new TreeMap<>();
        private Database database;
        private int tableCount;
        private long moved;
        private int cuts;

        Run(long seed) {
            random = new Random(seed);
        }

        void createTable() {
            if (model.size() == TABLES_MAX) {
                return;
            }
            String name = "table" + tableCount++;
            TableDefinition.Builder definition = TableDefinition.named(name)
                    .column("id", ColumnType.int32())
                    .column("kind", ColumnType.int32())
                    .column("payload", ColumnType.string(VALUE_LENGTH_MAX))
                    .primaryKey("id")
                    .index("by_kind", "kind", "id");
            // Some entries of the catalog are large values themselves.
            for (int column = 0; tableCount % 3 == 0 && column < 150; column++) {
                definition.nullable("column_with_a_long_name_" + column, ColumnType.int32());
            }
            database.createTable(definition.build());
            model.put(name, new TreeMap<>());
        }

        void dropTable() {
            String name = anyTable();
            if (name != null && model.size() > 1) {
                database.dropTable(name);
                model.remove(name);
            }
        }

        String anyTable() {
            List<String> names = new ArrayList<>(model.keySet());
            return names.isEmpty() ? null : names.get(random.nextInt(names.size()));
        }

        int length() {
            return switch (random.nextInt(4)) {
                case 0 -> random.nextInt(VALUE_LENGTH_MAX);
                case 1 -> 1_500 + random.nextInt(30_000);
                default -> random.nextInt(900);
            };
        }

        /** Changes some rows; what is committed goes to the model. */
        void change(Transaction transaction, String name, Map<Integer, Value> rows, int count) {
            Table table = database.table(name);
            Record row = table.newRecord();
            for (int i = 0; i < count; i++) {
                int id = random.nextInt(IDS);
                if (random.nextInt(3) == 0) {
                    assertEquals(
                            rows.remove(id) != null,
                            transaction.delete(table, table.newKey().add(id)));
                    continue;
                }
                Value value = new Value(random.nextInt(5), length());
                boolean isThere =
                        transaction.fetchForUpdate(table, table.newKey().add(id), row);
                assertEquals(rows.containsKey(id), isThere);
                row.clear();
                row.setInt(0, id);
                row.setInt(1, value.kind);
                row.setString(2, payload(id, value.length));
                if (isThere) {
                    transaction.update(table, row);
                } else {
                    transaction.insert(table, row);
                }
                rows.put(id, value);
            }
        }

        void transact() {
            String name = anyTable();
            if (name == null) {
                return;
            }
            Map<Integer, Value> rows = new TreeMap<>(model.get(name));
            try (Session session = database.openSession()) {
                Transaction transaction = session.begin();
                change(transaction, name, rows, 1 + random.nextInt(8));
                Map<Integer, Value> atSavepoint = new TreeMap<>(rows);
                Savepoint savepoint = transaction.savepoint();
                maybeCompact(3);
                change(transaction, name, rows, random.nextInt(8));
                maybeCompact(3);
                if (random.nextInt(3) == 0) {
                    transaction.rollbackTo(savepoint);
                    rows = atSavepoint;
                    maybeCompact(2);
                }
                if (random.nextInt(3) == 0) {
                    transaction.rollback();
                } else {
                    transaction.commit();
                    model.put(name, rows);
                }
            }
        }

        /** A snapshot sees what there was, whatever is changed, taken back, moved and put in its place. */
        void readSnapshot() {
            Map<String, Map<Integer, Value>> seen = new TreeMap<>();
            model.forEach((name, rows) -> seen.put(name, new TreeMap<>(rows)));
            try (Session session = database.openSession()) {
                boolean changing = random.nextBoolean() && !model.isEmpty();
                try (Session writing = database.openSession()) {
                    Transaction writer = changing ? writing.begin() : null;
                    String name = anyTable();
                    if (changing) {
                        change(writer, name, new TreeMap<>(model.get(name)), 6);
                    }
                    Transaction snapshot =
                            session.begin(database.transactionOptions().readOnlySnapshot());
                    maybeCompact(2);
                    requireRows(snapshot, seen);
                    if (changing) {
                        change(writer, name, rows(writer, name), 4);
                        maybeCompact(2);
                        writer.rollback();
                    }
                    for (int i = 0; i < 3; i++) {
                        maybeCompact(2);
                        transact();
                    }
                    compact();
                    transact();
                    requireRows(snapshot, seen);
                    snapshot.commit();
                }
            }
        }

        void maybeCompact(int oneIn) {
            if (random.nextInt(oneIn) == 0) {
                compact();
            }
        }

        void compact() {
            CompactionReport report = database.compact();
            moved += report.pagesMoved();
            cuts += report.pagesAfter() < report.pagesBefore() ? 1 : 0;
        }

        void requireState() {
            database.validate();
            assertEquals(List.copyOf(model.keySet()), database.tableNames());
            database.run(transaction -> requireRows(transaction, model));
        }

        void requireRows(Transaction transaction, Map<String, Map<Integer, Value>> expected) {
            expected.forEach((name, rows) -> assertEquals(rows, rows(transaction, name), name));
        }

        Map<Integer, Value> rows(Transaction transaction, String name) {
            Table table = database.table(name);
            Map<Integer, Value> rows = new TreeMap<>();
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    String payload = row.getString(2);
                    assertTrue(payload.equals(payload(row.getInt(0), payload.length())), () -> "id=" + row.getInt(0));
                    rows.put(row.getInt(0), new Value(row.getInt(1), payload.length()));
                }
            }
            return rows;
        }
    }

    private static String payload(int id, int length) {
        char[] payload = new char[length];
        for (int i = 0; i < length; i++) {
            payload[i] = (char) ('a' + (i / 97 + i + id + length) % 26);
        }
        return new String(payload);
    }

    private Database open(Path home) {
        LogOptions log = LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        return validated.track(Database.open(DiskStorage.INSTANCE, home, ValidatedDatabase.SMALLEST, null, log));
    }

    @Test
    void everyStateIsThatOfTheModel(TestReporter reporter) {
        long[] moved = new long[1];
        int[] cuts = new int[1];
        Seeds.each(2, seed -> {
            Run run = new Run(seed);
            Path home = scratch.resolve("db-" + seed);
            run.database = open(home);
            run.createTable();
            for (int step = 0; step < STEPS; step++) {
                switch (run.random.nextInt(12)) {
                    case 0 -> run.createTable();
                    case 1 -> run.dropTable();
                    case 2, 3 -> run.readSnapshot();
                    case 4, 5 -> run.compact();
                    case 6 -> {
                        if (run.random.nextInt(3) == 0) {
                            validated.close(run.database);
                        } else {
                            run.database.checkpoint();
                            run.transact();
                            run.database.abandon();
                        }
                        run.database = open(home);
                    }
                    default -> run.transact();
                }
                if (step % 8 == 0) {
                    run.requireState();
                }
            }
            run.requireState();
            // At rest nothing keeps the file longer than its contents.
            run.compact();
            CompactionReport last = run.database.compact();
            assertEquals(last.pagesInUse(), last.pagesAfter(), last::toString);
            run.requireState();
            validated.close(run.database);
            moved[0] += run.moved;
            cuts[0] += run.cuts;
        });
        reporter.publishEntry(Map.of("moved", Long.toString(moved[0]), "cuts", Integer.toString(cuts[0])));
        assertTrue(moved[0] > 0 && cuts[0] > 0, "moved=" + moved[0] + " cuts=" + cuts[0]);
    }
}
