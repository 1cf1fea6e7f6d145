package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.ValidatedDatabase;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How many pages an opening reads that has no log to repeat, with a pool that holds few of them, until the first
 * transaction can begin.
 */
class OpeningReadsTest {
    /** Of a value that lies in its leaf, with some others. */
    private static final int INLINE_BYTES = 500;

    /** Of a value that has a page of its own. */
    private static final int OVERFLOW_BYTES = 6_000;

    private static final int ROWS_PER_TRANSACTION = 50;

    @TempDir
    Path scratch;

    private Instance open(String name) {
        return new InstanceOpener(ValidatedDatabase.SMALLEST, null)
                .lookingLater()
                .open(DiskStorage.INSTANCE, scratch.resolve(name));
    }

    /** Makes a tree with so many records and a checkpoint behind them. */
    private Instance filled(String name, int records, int valueBytes) {
        Instance instance = open(name);
        RawTree tree = new RawTree(instance);
        for (int from = 0; from < records; from += ROWS_PER_TRANSACTION) {
            tree.begin(Isolation.READ_COMMITTED);
            for (int id = from; id < from + ROWS_PER_TRANSACTION; id++) {
                tree.insert(ByteBuffer.allocate(Integer.BYTES).putInt(id).array(), new byte[valueBytes]);
            }
            tree.commit();
        }
        tree.close();
        instance.checkpoint();
        return instance;
    }

    private long pagesReadToOpen(String name) {
        Instance instance = open(name);
        long reads = instance.pool().statistics().pageReads();
        instance.validate();
        instance.close();
        return reads;
    }

    private long pageCount(String name) throws IOException {
        return Files.size(scratch.resolve(name).resolve("pages.lockstep")) / PageLayout.PAGE_BYTES;
    }

    /** Of a database that is much larger. */
    private void requireSameReads(String large, String small) throws IOException {
        assertTrue(pageCount(large) > 10 * pageCount(small), () -> large + " is not much larger than " + small);
        assertEquals(pagesReadToOpen(small), pagesReadToOpen(large));
    }

    @Test
    void afterACloseTheyAreTheSameForEverySize() throws IOException {
        filled("small", 200, INLINE_BYTES).close();
        filled("large", 6_000, INLINE_BYTES).close();
        requireSameReads("large", "small");
    }

    @Test
    void afterACrashTheyAreTheSameForEverySize() throws IOException {
        filled("small", 200, INLINE_BYTES).abandon();
        filled("large", 6_000, INLINE_BYTES).abandon();
        requireSameReads("large", "small");
    }

    @Test
    void afterACrashTheyAreTheSameWhereATreeHasOverflowPages() throws IOException {
        filled("small", 50, OVERFLOW_BYTES).abandon();
        filled("large", 1_000, OVERFLOW_BYTES).abandon();
        requireSameReads("large", "small");
    }

    /** What the log adds lies behind the end of the file as it is found. */
    @Test
    void afterACrashTheyAreTheSameWhereTheLogAddsPages() throws IOException {
        long[] reads = new long[2];
        int[] records = {50, 1_000};
        for (int i = 0; i < records.length; i++) {
            String name = "added" + i;
            Instance instance = filled(name, records[i], OVERFLOW_BYTES);
            long pages = pageCount(name);
            instance.schema()
                    .createTable(TableDefinition.named("added")
                            .column("id", ColumnType.int32())
                            .primaryKey("id")
                            .build());
            instance.abandon();
            assertEquals(pages, pageCount(name), "the new root was written");
            reads[i] = pagesReadToOpen(name);
        }
        assertEquals(reads[0], reads[1]);
    }
}
