package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A salvage beside a medium that refuses, and of a database in which something was cut short. */
class SalvageFaultTest {
    private static final Path HOME = Path.of("/database");
    private static final Path SAVED = Path.of("/saved");
    private static final String TABLE = "kept";

    private static final int ROWS = 350;
    private static final int LONG = 10_000;

    /** Changed pages are kept in memory up to 512; these rows take more leaves, each changed several times. */
    private static final int MANY_ROWS = 3_000;

    private static final int LONGEST_IN_LEAF = 1_400;

    /** Rows are inserted so far apart; has no factor with their numbers. */
    private static final int STRIDE = 11;

    private static final int ROOM_BYTES_PER_TURN = 512 << 10;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final FaultyStorage storage = new FaultyStorage(1);

    private Database open(Path directory) {
        return validated.unexamined(
                Database.open(storage, directory, ValidatedDatabase.USUAL, null, LogOptions.sync()));
    }

    private Database create(int rows, int payload) {
        Database database = open(HOME);
        database.createTable(TableDefinition.named(TABLE)
                .column("id", ColumnType.int32())
                .column("number", ColumnType.int32())
                .column("payload", ColumnType.string(LONG))
                .primaryKey("id")
                .build());
        Table table = database.table(TABLE);
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int i = 0; i < rows; i++) {
                int id = i * STRIDE % rows;
                row.setInt(0, id);
                row.setInt(1, 7);
                row.setString(2, payload(id, payload));
                transaction.insert(table, row);
            }
        });
        return database;
    }

    private static String payload(int id, int length) {
        return Character.toString('a' + id % 26).repeat(length);
    }

    private Map<Integer, String> read(Path directory) {
        Map<Integer, String> found = new TreeMap<>();
        Database database = open(directory);
        database.run(transaction -> {
            Table table = database.table(TABLE);
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    found.put(row.getInt(0), row.getString(2));
                }
            }
        });
        validated.close(database);
        return found;
    }

    private static Map<Integer, String> expected(int rows, int payload) {
        Map<Integer, String> expected = new TreeMap<>();
        for (int id = 0; id < rows; id++) {
            expected.put(id, payload(id, payload));
        }
        return expected;
    }

    private SalvageReport salvage() {
        return Database.salvage(storage, HOME, SAVED, ProgressListener.NONE);
    }

    private void deleteSaved() {
        storage.list(SAVED).forEach(storage::delete);
    }

    /** Of this test alone: threads have the class loader of the one that made them. */
    private static long pageWriters() {
        ClassLoader mark = Thread.currentThread().getContextClassLoader();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lockstep-page-writer"))
                .filter(thread -> thread.getContextClassLoader() == mark)
                .count();
    }

    /** The process ends at every step of a creation that rows with one key make fail. */
    @Test
    void anIndexThatWasNotFinishedTakesNoRow() {
        for (int change = 1; change < 12; change++) {
            Database database = create(2, 10);
            storage.crashAtChange(change);
            IndexDefinition unique = IndexDefinition.unique("unique_number", TABLE, "number");
            assertThrows(LockstepException.class, () -> database.createIndex(unique));
            database.abandon();
            storage.kill();
            SalvageReport report = salvage();
            assertTrue(report.isComplete(), report::toString);
            assertEquals(expected(2, 10), read(SAVED), "change=" + change);
            deleteSaved();
            storage.list(HOME).forEach(storage::delete);
        }
    }

    @Test
    void aDiskThatIsFullLeavesNoDatabaseOpen() {
        validated.close(create(ROWS, LONG));
        long before = storage.bytes();
        int refusals = 0;
        long room = before;
        // Ends: each turn there is room for more of what is saved.
        while (true) {
            room += refusals == 0 ? 0 : ROOM_BYTES_PER_TURN;
            storage.bytesMax(room);
            try {
                salvage();
                break;
            } catch (DiskFullException full) {
                refusals++;
            }
            storage.heal();
            assertEquals(before, storage.bytes(), "what a salvage that fails leaves");
            assertEquals(0, pageWriters(), "refusals=" + refusals);
        }
        storage.heal();
        assertTrue(refusals > 3, "refusals=" + refusals);
        assertEquals(expected(ROWS, LONG), read(SAVED));
    }

    /** Pages that the log has made are lost where they cannot be kept, and so would be rows. */
    @Test
    void aFailureOfItsOwnFilesIsThrown() {
        create(MANY_ROWS, LONGEST_IN_LEAF).abandon();
        storage.kill();
        int failures = 0;
        int step = 1;
        // Ends behind the last change that a salvage makes.
        for (int change = 1; ; change += step) {
            storage.failAtChange(change, false);
            long failsAt = storage.changeCount() + change;
            boolean hasFailed = true;
            try {
                SalvageReport report = salvage();
                hasFailed = storage.changeCount() >= failsAt;
                storage.heal();
                assertTrue(report.isComplete(), report::toString);
                assertEquals(expected(MANY_ROWS, LONGEST_IN_LEAF), read(SAVED), "change=" + change);
            } catch (StorageException | DatabaseFailedException refused) {
                failures++;
            }
            storage.heal();
            if (!hasFailed) {
                break;
            }
            deleteSaved();
            step = 1 + change / 4;
        }
        assertTrue(failures > 10, "failures=" + failures);
    }
}
