package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.Waiter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each protection does about pages that are torn in place, and what stands in a page without a checksum. */
class TornPagesTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private static final Path HOME = Path.of("/database");
    private static final Path PAGES = HOME.resolve(PageFile.PAGES_FILE);
    private static final int ROWS = 2_000;
    private static final int CATALOG_ROOT = 1;

    private final FaultyStorage storage = new FaultyStorage(7);

    private static DatabaseOptions options(TornPageProtection protection, boolean checksums) {
        return ValidatedDatabase.SMALLEST.toBuilder()
                .tornPageProtection(protection)
                .pageChecksums(checksums)
                .build();
    }

    private Database open(TornPageProtection protection, boolean checksums) {
        LogOptions log = LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        return Database.open(storage, HOME, options(protection, checksums), null, log);
    }

    /** Rows, of which a checkpoint has written the pages, and more changes of the same pages behind it; then a kill. */
    private void crashBehindACheckpoint(TornPageProtection protection) {
        Database database = open(protection, true);
        Table table = DatabaseTest.filled(database, ROWS, "first");
        database.checkpoint();
        change(database, table, "second");
        // A second time within a checkpoint, and written once more: not with another image.
        database.instance().pool().flushAll(new Waiter());
        change(database, table, "third!");
        database.abandon();
    }

    private static void change(Database database, Table table, String name) {
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id += 7) {
                assertTrue(transaction.fetch(table, table.newKey().add(id), row));
                row.setString(1, name);
                transaction.update(table, row);
            }
        });
    }

    private void tear(int pageId, int at) {
        for (int i = 0; i < FaultyStorage.SECTOR_BYTES; i++) {
            storage.corrupt(PAGES, PageLayout.fileOffset(pageId) + at + i, 0x5A);
        }
    }

    private int pageCount() {
        try (BlockFile file = storage.open(PAGES, Storage.OpenMode.READ_ONLY)) {
            return (int) (file.size() / PageLayout.PAGE_BYTES);
        }
    }

    private static void requireRows(Database database) {
        Table table = database.table("account");
        Record row = table.newRecord();
        int count = database.call(transaction -> {
            int found = 0;
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    assertEquals(found, row.getInt(0));
                    assertEquals(found % 7 == 0 ? "third!" : "first", row.getString(1));
                    found++;
                }
            }
            return found;
        });
        assertEquals(ROWS, count);
    }

    @ParameterizedTest
    @EnumSource(names = {"DOUBLE_WRITE", "LOG_IMAGES"})
    void imagesMendEveryPageThatWasWrittenSinceTheCheckpoint(TornPageProtection after) {
        crashBehindACheckpoint(TornPageProtection.LOG_IMAGES);
        int pageCount = pageCount();
        assertTrue(pageCount > 20, "pageCount=" + pageCount);
        for (int pageId = CATALOG_ROOT; pageId < pageCount; pageId++) {
            tear(pageId, pageId % 2 == 0 ? 0 : PageLayout.PAGE_BYTES / 2);
        }
        Database database = validated.track(open(after, true));
        requireRows(database);
        validated.close(database);
        requireRows(validated.track(open(TornPageProtection.DOUBLE_WRITE, true)));
    }

    @Test
    void withoutProtectionRecoveryTellsOfTornPages() {
        crashBehindACheckpoint(TornPageProtection.NONE);
        for (int pageId = CATALOG_ROOT; pageId < pageCount(); pageId++) {
            tear(pageId, 0);
        }
        assertThrows(CorruptionException.class, () -> open(TornPageProtection.LOG_IMAGES, true));
    }

    @Test
    void pagesWithAndWithoutChecksumsAreReadByBoth() {
        Database database = validated.track(open(TornPageProtection.DOUBLE_WRITE, false));
        DatabaseTest.filled(database, ROWS, "first");
        change(database, database.table("account"), "third!");
        validated.close(database);
        assertEquals(PageLayout.FORMAT_UNCHECKED, formatOf(CATALOG_ROOT + 1));
        Database checked = validated.track(open(TornPageProtection.LOG_IMAGES, true));
        requireRows(checked);
        change(checked, checked.table("account"), "second");
        change(checked, checked.table("account"), "third!");
        validated.close(checked);
        int checkedPages = 0;
        for (int pageId = 1; pageId < pageCount(); pageId++) {
            checkedPages += formatOf(pageId) == PageLayout.FORMAT ? 1 : 0;
        }
        assertTrue(checkedPages > 0);
        Database unchecked = validated.track(open(TornPageProtection.NONE, false));
        requireRows(unchecked);
    }

    private int formatOf(int pageId) {
        ByteBuffer page = ByteBuffer.allocate(PageLayout.HEADER_BYTES);
        try (BlockFile file = storage.open(PAGES, Storage.OpenMode.READ_ONLY)) {
            file.read(page, PageLayout.fileOffset(pageId));
        }
        return page.get(PageLayout.FORMAT_OFFSET);
    }
}
