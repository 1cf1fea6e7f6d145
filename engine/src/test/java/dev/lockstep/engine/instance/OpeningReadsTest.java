package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.ValidatedDatabase;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.proof.DelegatingStorage;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Which pages an opening reads until the first transaction can begin, with a pool that holds few of them: a fixed
 * number where there is no log to repeat, and those that the log names before redo comes to them.
 */
class OpeningReadsTest {
    /** Of a value that lies in its leaf, with some others. */
    private static final int INLINE_BYTES = 500;

    /** Of a value that has a page of its own. */
    private static final int OVERFLOW_BYTES = 6_000;

    private static final int ROWS_PER_TRANSACTION = 50;

    @TempDir
    Path scratch;

    /** A file system in which the first page that an engine thread reads comes only when the next is asked for. */
    private static final class PairingStorage extends DelegatingStorage {
        private final CountDownLatch reads = new CountDownLatch(2);

        PairingStorage() {
            super(DiskStorage.INSTANCE);
        }

        @Override
        public BlockFile open(Path path, OpenMode mode) {
            BlockFile file = super.open(path, mode);
            return path.endsWith(PageFile.PAGES_FILE) ? new PairingFile(file) : file;
        }

        private final class PairingFile extends DelegatingFile {
            PairingFile(BlockFile file) {
                super(file);
            }

            @Override
            public int read(ByteBuffer target, long position) {
                if (Thread.currentThread().getName().startsWith("lockstep-io-")) {
                    reads.countDown();
                    try {
                        reads.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
                return super.read(target, position);
            }
        }
    }

    private Instance open(String name) {
        return open(name, DiskStorage.INSTANCE);
    }

    private Instance open(String name, Storage storage) {
        return new InstanceOpener(ValidatedDatabase.SMALLEST, null)
                .lookingLater()
                .open(storage, scratch.resolve(name));
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

    /** If one page after the other were read, the first would never come. */
    @Test
    @Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void redoHasPagesReadBeforeItComesToThem() {
        Instance instance = filled("ahead", 1_000, INLINE_BYTES);
        RawTree tree = new RawTree(instance);
        tree.begin(Isolation.READ_COMMITTED);
        for (int id = 0; id < 1_000; id += 30) {
            tree.update(ByteBuffer.allocate(Integer.BYTES).putInt(id).array(), new byte[10]);
        }
        tree.commit();
        tree.close();
        instance.abandon();
        PairingStorage storage = new PairingStorage();
        Instance opened = open("ahead", storage);
        assertEquals(0, storage.reads.getCount(), "reads that were awaited in vain");
        opened.validate();
        opened.close();
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
