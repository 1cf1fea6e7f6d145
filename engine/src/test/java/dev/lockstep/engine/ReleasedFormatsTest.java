package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.DoubleWriteCopies;
import dev.lockstep.engine.file.DoubleWriteLayout;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.page.PageLayout;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Databases written by every format that was ever released are opened, read and changed. A directory of archives is
 * added whenever a format changes ({@link GoldenDatabase#main} writes it), and none is ever removed or written anew.
 */
class ReleasedFormatsTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    @ParameterizedTest
    @ValueSource(strings = {"format-1", "format-2", "format-2-log-images", "format-3"})
    void aClosedDatabaseIsReadAndChanged(String format) throws IOException {
        Path home = scratch.resolve("database");
        GoldenDatabase.unpack("golden/" + format + "/closed.zip", home);
        VerificationReport report = Database.verify(home);
        assertEquals(List.of(), report.findings());
        use(home);
    }

    @ParameterizedTest
    @ValueSource(strings = {"format-1", "format-2", "format-2-log-images", "format-3"})
    void aCrashedDatabaseIsRecovered(String format) throws IOException {
        Path home = scratch.resolve("database");
        GoldenDatabase.unpack("golden/" + format + "/crashed.zip", home);
        VerificationReport report = Database.verify(home);
        assertEquals(List.of(), report.findings());
        assertTrue(report.needsRecovery() && report.logRecords() > 0, report::toString);
        use(home);
    }

    /** Of each page that was written since the checkpoint, the log has an image. */
    @Test
    void imagesInTheLogMendTornPages() throws IOException {
        Path home = scratch.resolve("database");
        GoldenDatabase.unpack("golden/format-2-log-images/crashed.zip", home);
        Set<Integer> torn = new TreeSet<>();
        try (Inspection inspection = Database.inspect(home)) {
            long redoScanLsn = inspection.overview().checkpoint().redoScanLsn();
            inspection.log(redoScanLsn, Long.MAX_VALUE, entry -> {
                if (entry.type().equals("page image")) {
                    entry.pages().forEach(page -> torn.add(Integer.parseInt(page.substring(page.indexOf(' ') + 1))));
                }
            });
        }
        assertTrue(torn.size() > 5, torn::toString);
        tear(home, torn);
        use(home);
    }

    /** Of each page of the last batch that was written, the double-write file has a copy. */
    @ParameterizedTest
    @ValueSource(strings = {"format-1", "format-2", "format-3"})
    void copiesOfADoubleWriteMendTornPages(String format) throws IOException {
        Path home = scratch.resolve("database");
        GoldenDatabase.unpack("golden/" + format + "/closed.zip", home);
        DatabaseId databaseId;
        try (PageFile pages = PageFile.open(DiskStorage.INSTANCE, home, null, true)) {
            databaseId = pages.databaseId();
        }
        Set<Integer> torn = new TreeSet<>();
        DoubleWriteCopies.visit(DiskStorage.INSTANCE, home, databaseId, (pageId, memory, address) -> torn.add(pageId));
        assertFalse(torn.isEmpty(), "no copies");
        tear(home, torn);
        use(home);
    }

    private static void tear(Path home, Set<Integer> pageIds) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(home.resolve(PageFile.PAGES_FILE).toFile(), "rw")) {
            for (int pageId : pageIds) {
                file.seek(PageLayout.fileOffset(pageId) + PageLayout.PAGE_BYTES / 2);
                file.write(new byte[PageLayout.PAGE_BYTES / 2]);
            }
        }
    }

    private void use(Path home) {
        DatabaseOptions existing =
                ValidatedDatabase.SMALLEST.toBuilder().createIfMissing(false).build();
        Database database = validated.open(home, existing, null);
        GoldenDatabase.require(database);
        database.dropIndex("golden", "by_number");
        database.createIndex(IndexDefinition.of("by_text", "golden", "number", "id"));
        validated.close(database);
        try (BlockFile copies =
                DiskStorage.INSTANCE.open(home.resolve(PageFile.DOUBLE_WRITE_FILE), Storage.OpenMode.READ_ONLY)) {
            assertEquals(
                    FileFormat.DOUBLE_WRITE.version(),
                    FileHeader.read(copies, FileFormat.DOUBLE_WRITE, null).version());
            assertEquals(DoubleWriteLayout.FILE_BYTES, copies.size());
        }
        Database again = validated.open(home, existing, null);
        GoldenDatabase.require(again);
        validated.close(again);
    }
}
