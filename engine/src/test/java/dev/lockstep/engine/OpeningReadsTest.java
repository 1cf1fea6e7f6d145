package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** How many pages an opening reads that has no log to repeat, with a pool that holds few of them. */
class OpeningReadsTest {
    /** Of a value that lies in its leaf, with some others. */
    private static final int INLINE_BYTES = 500;

    /** Of a value that has a page of its own. */
    private static final int OVERFLOW_BYTES = 6_000;

    private static final int ROWS_PER_TRANSACTION = 50;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    /** Makes a table with so many rows and a checkpoint behind them. */
    private Database filled(String name, int rows, int valueBytes) {
        Database database = validated.open(scratch.resolve(name), ValidatedDatabase.SMALLEST, null);
        Table table = database.createTable(TableDefinition.named("filled")
                .column("id", ColumnType.int32())
                .column("value", ColumnType.binary(OVERFLOW_BYTES))
                .primaryKey("id")
                .build());
        byte[] value = new byte[valueBytes];
        Record row = table.newRecord();
        for (int from = 0; from < rows; from += ROWS_PER_TRANSACTION) {
            int first = from;
            database.run(transaction -> {
                for (int id = first; id < first + ROWS_PER_TRANSACTION; id++) {
                    row.clear();
                    row.setInt(0, id);
                    row.setBytes(1, value, 0, valueBytes);
                    transaction.insert(table, row);
                }
            });
        }
        database.checkpoint();
        return database;
    }

    private long pagesReadToOpen(String name) {
        Database database = validated.open(scratch.resolve(name), ValidatedDatabase.SMALLEST, null);
        long reads = database.statistics().pageReads();
        validated.close(database);
        return reads;
    }

    private long pageCount(String name) throws IOException {
        return Files.size(scratch.resolve(name).resolve("pages.lockstep")) / PageLayout.PAGE_BYTES;
    }

    @Test
    void afterACloseTheyAreTheSameForEverySize() throws IOException {
        validated.close(filled("small", 200, INLINE_BYTES));
        validated.close(filled("large", 6_000, INLINE_BYTES));
        assertTrue(pageCount("large") > 10 * pageCount("small"));
        assertEquals(pagesReadToOpen("small"), pagesReadToOpen("large"));
    }

    @Test
    void afterACrashTheyAreTheInnerNodes() throws IOException {
        filled("inner", 6_000, INLINE_BYTES).abandon();
        long reads = pagesReadToOpen("inner");
        assertTrue(reads < pageCount("inner") / 20, "pages read: " + reads);
    }

    @Test
    void afterACrashEachPageIsReadOnceWhereATreeHasOverflowPages() throws IOException {
        filled("overflow", 1_000, OVERFLOW_BYTES).abandon();
        long reads = pagesReadToOpen("overflow");
        assertTrue(reads < pageCount("overflow") + 20, "pages read: " + reads);
    }

    /** What the log adds lies behind the end of the file as it is found. */
    @Test
    void afterACrashEachPageIsReadOnceWhereTheLogAddsPages() throws IOException {
        Database database = filled("added", 1_000, OVERFLOW_BYTES);
        long pages = pageCount("added");
        database.createTable(TableDefinition.named("added")
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build());
        database.abandon();
        assertEquals(pages, pageCount("added"), "the new root was written");
        long reads = pagesReadToOpen("added");
        assertTrue(reads < pages + 20, "pages read: " + reads);
    }
}
