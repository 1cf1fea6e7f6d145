package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.LockTimeoutException;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.ValidatedDatabase;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.ChainWaits;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.Waiter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The overflow chain of a change that fails is given back, or left to the next open where a page cannot be read. */
class UnusedChainTest {
    private static final Path HOME = Path.of("/database");

    /** With their long names more than the 1,500 bytes that a leaf takes: the catalog's entry has an overflow chain. */
    private static final int COLUMNS = 80;

    /** Twice the smallest pool, so that the first pages of a chain are evicted while the rest is written. */
    private static final int LARGE_BYTES = 2 * (int) DatabaseOptions.POOL_BYTES_MIN;

    private static TableDefinition wide(String name) {
        TableDefinition.Builder builder = TableDefinition.named(name);
        for (int column = 0; column < COLUMNS; column++) {
            builder.column("a_column_with_a_long_name_" + column, ColumnType.int32());
        }
        return builder.primaryKey("a_column_with_a_long_name_0").build();
    }

    private static TableDefinition large() {
        return TableDefinition.named("large")
                .column("id", ColumnType.int32())
                .column("body", ColumnType.binary(LARGE_BYTES))
                .primaryKey("id")
                .build();
    }

    private static Instance open(FaultyStorage storage) {
        return new InstanceOpener(ValidatedDatabase.SMALLEST, null).open(storage, HOME);
    }

    private static SessionCore begin(Instance instance) {
        SessionCore session = instance.newSession();
        session.begin(Isolation.SERIALIZABLE, Durability.SYNC, Long.MAX_VALUE, Long.MAX_VALUE);
        return session;
    }

    /** Changes the schema while somebody has the key of a table's entry, and has it fail. */
    private static void requireTimeout(Instance instance, String table, Executable change) {
        SessionCore other = begin(instance);
        BTree catalog = instance.catalogTree();
        byte[] key = table.getBytes(StandardCharsets.UTF_8);
        other.lock(LockName.ofKey(catalog.treeId(), catalog.leadingBytes(), key, 0, key.length), LockMode.KEY_X);
        assertThrows(LockTimeoutException.class, change);
        other.rollback();
        other.close();
        instance.validate();
    }

    @Test
    void theEntryOfATableThatIsNotWrittenLeavesNoPages() {
        DatabaseOptions options = DatabaseOptions.builder()
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .lockTimeout(Duration.ofMillis(1))
                .build();
        Instance instance = new InstanceOpener(options, null).openInMemory();
        requireTimeout(instance, "made", () -> instance.schema().createTable(wide("made")));
        instance.schema().createTable(wide("made"));
        IndexDefinition index = IndexDefinition.of("by_first", "made", "a_column_with_a_long_name_1");
        requireTimeout(instance, "made", () -> instance.schema().createIndex(index));
        instance.schema().createIndex(index);
        instance.validate();
        instance.close();
    }

    /** The statement fails because it cannot read the row's leaf, and cannot read the chain either. */
    @Test
    void aChainThatCannotBeReadIsFoundByTheNextOpen() {
        FaultyStorage storage = new FaultyStorage(1);
        Instance instance = open(storage);
        TableReference table = instance.schema().createTable(large());
        int pagesBefore = instance.validate().pages();
        SessionCore session = begin(instance);
        Record row = new Record(table.state().definition());
        row.setInt(0, 1);
        row.setBytes(1, new byte[LARGE_BYTES], 0, LARGE_BYTES);
        TableAccess access = session.open(table, LockMode.IX);
        storage.failReads("pages", 1);
        StorageException failure = assertThrows(StorageException.class, () -> access.insert(row));
        storage.heal();
        assertEquals(1, failure.getSuppressed().length);
        assertInstanceOf(StorageException.class, failure.getSuppressed()[0]);
        assertTrue(instance.hasLostPages());
        session.commit();
        session.close();
        instance.validate();
        instance.close();
        Instance again = open(storage);
        assertFalse(again.hasLostPages());
        assertEquals(pagesBefore, again.validate().pages());
        assertEquals(pagesBefore, again.environment().allocator().allocatedCount());
        again.close();
    }

    /** What ends the writing of a chain is told, and not what keeps the pages written so far from being read. */
    @Test
    void aChainThatIsHalfWrittenAndCannotBeReadIsFoundByTheNextOpen() {
        FaultyStorage storage = new FaultyStorage(1);
        Instance instance = open(storage);
        BTree tree = instance.schema().createTable(large()).state().tree();
        int pagesBefore = instance.validate().pages();
        SessionCore session = begin(instance);
        IllegalStateException cause = new IllegalStateException("cut short by intention");
        ChainWaits waits = new ChainWaits() {
            private int left = instance.pool().frameCount();

            @Override
            public int frame(BufferPool pool, int pageId, Waiter waiter) {
                return UNTIL_DONE.frame(pool, pageId, waiter);
            }

            @Override
            public void reserveFrame(BufferPool pool, Waiter waiter) {
                if (--left == 0) {
                    storage.failReads("pages", 1);
                    throw cause;
                }
                UNTIL_DONE.reserveFrame(pool, waiter);
            }

            @Override
            public void throttle(Log log, Waiter waiter) {
                UNTIL_DONE.throttle(log, waiter);
            }
        };
        byte[] stub = new byte[OverflowChain.stubBytes()];
        assertSame(
                cause,
                assertThrows(
                        IllegalStateException.class,
                        () -> OverflowChain.write(
                                tree, session.context(), waits, new byte[LARGE_BYTES], LARGE_BYTES, stub)));
        storage.heal();
        assertEquals(1, cause.getSuppressed().length);
        assertTrue(instance.hasLostPages());
        session.commit();
        session.close();
        instance.validate();
        instance.close();
        Instance again = open(storage);
        assertEquals(pagesBefore, again.validate().pages());
        assertEquals(pagesBefore, again.environment().allocator().allocatedCount());
        again.close();
    }
}
