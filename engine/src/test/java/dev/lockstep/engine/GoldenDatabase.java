package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * The database of the golden files: what it holds, how it is written, how its archive is read. Its contents never
 * change, or the archives of earlier formats could not be compared with them.
 */
final class GoldenDatabase {
    private static final String TABLE = "golden";
    private static final int ROWS = 300;

    /** Beyond what a leaf holds of a value, so that there are overflow pages. */
    private static final int LONG_TEXT = 9_000;

    private GoldenDatabase() {}

    /**
     * Writes the archives of the current format into a directory: {@code closed.zip} of a database closed in order,
     * {@code crashed.zip} of one that needs recovery, with a loser and a checkpoint behind some of its changes.
     * Arguments: the directory, and how pages are protected from being torn.
     */
    public static void main(String[] arguments) throws IOException {
        Path scratch = Files.createTempDirectory("golden");
        DatabaseOptions options = ValidatedDatabase.SMALLEST.toBuilder()
                .tornPageProtection(TornPageProtection.valueOf(arguments[1]))
                .build();
        Path closed = scratch.resolve("closed");
        try (Database database = Database.open(closed, options)) {
            fill(database);
        }
        pack(closed, Path.of(arguments[0]).resolve("closed.zip"));
        Path crashed = scratch.resolve("crashed");
        Database database = Database.open(crashed, options);
        fill(database);
        Session session = database.openSession();
        Transaction loser = session.begin();
        Table table = database.table(TABLE);
        Record row = table.newRecord();
        for (int id = ROWS; id < ROWS + 20; id++) {
            set(row, id);
            loser.insert(table, row);
        }
        database.run(transaction ->
                assertTrue(transaction.delete(table, table.newKey().add(ROWS / 2))));
        database.run(transaction -> {
            set(row, ROWS / 2);
            transaction.insert(table, row);
        });
        if (options.tornPageProtection() == TornPageProtection.LOG_IMAGES) {
            // The second one writes the pages back, of which the log then has images.
            database.checkpoint();
            database.checkpoint();
        }
        database.abandon();
        pack(crashed, Path.of(arguments[0]).resolve("crashed.zip"));
    }

    private static void fill(Database database) {
        Table table = database.createTable(TableDefinition.named(TABLE)
                .column("id", ColumnType.int32())
                .column("number", ColumnType.int64())
                .column("text", ColumnType.string(LONG_TEXT))
                .primaryKey("id")
                .index("by_number", "number", "id")
                .build());
        Record row = table.newRecord();
        for (int first = 0; first < ROWS; first += 50) {
            int from = first;
            database.run(transaction -> {
                for (int id = from; id < from + 50; id++) {
                    set(row, id);
                    transaction.insert(table, row);
                }
            });
        }
    }

    private static void set(Record row, int id) {
        row.setInt(0, id);
        row.setLong(1, id * 1_000_003L % 997);
        row.setString(2, text(id));
    }

    private static String text(int id) {
        return ("row " + id + " ").repeat(id % 100 == 7 ? LONG_TEXT / 10 : 1 + id % 20);
    }

    /** Requires the contents. */
    static void require(Database database) {
        Table table = database.table(TABLE);
        Record row = table.newRecord();
        int found = database.call(transaction -> {
            int count = 0;
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    assertEquals(count, row.getInt(0));
                    assertEquals(count * 1_000_003L % 997, row.getLong(1));
                    assertEquals(text(count), row.getString(2));
                    count++;
                }
            }
            return count;
        });
        assertEquals(ROWS, found);
    }

    private static void pack(Path directory, Path archive) throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(directory)) {
            files = listed.sorted().toList();
        }
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(archive))) {
            zip.setLevel(9);
            for (Path file : files) {
                zip.putNextEntry(new ZipEntry(file.getFileName().toString()));
                Files.copy(file, zip);
                zip.closeEntry();
            }
        }
    }

    /** Unpacks an archive of the test resources. */
    static void unpack(String resource, Path directory) throws IOException {
        Files.createDirectories(directory);
        try (InputStream stream = GoldenDatabase.class.getResourceAsStream(resource);
                ZipInputStream zip = new ZipInputStream(stream)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Files.copy(zip, directory.resolve(Path.of(entry.getName()).getFileName()));
            }
        }
    }
}
