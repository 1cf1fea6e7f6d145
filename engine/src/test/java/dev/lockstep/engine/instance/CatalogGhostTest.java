package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.ValidatedDatabase;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.StoredTable;
import dev.lockstep.scheduler.Waiter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a dropped table leaves in the catalog: nobody scans that tree, so nobody comes by later and removes it. */
class CatalogGhostTest {
    /** With their long names more than the 1,500 bytes that a leaf takes: the catalog's entry has an overflow chain. */
    private static final int COLUMNS = 80;

    private static final int TABLES = 40;

    @TempDir
    Path directory;

    private Instance open() {
        return new InstanceOpener(ValidatedDatabase.SMALLEST, null).open(DiskStorage.INSTANCE, directory);
    }

    private static TableDefinition wide(String name) {
        TableDefinition.Builder builder = TableDefinition.named(name);
        for (int column = 0; column < COLUMNS; column++) {
            builder.column("a_column_with_a_long_name_" + column, ColumnType.int32());
        }
        return builder.primaryKey("a_column_with_a_long_name_0").build();
    }

    private static TableDefinition narrow(String name) {
        return TableDefinition.named(name)
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build();
    }

    /** The next change of the schema has the catalog's lock as soon as the drop has committed. */
    @Test
    void aDropLeavesNoGhostToTheNextChange() throws InterruptedException {
        Instance instance = open();
        TableReference table = instance.schema().createTable(wide("dropped"));
        SessionCore user = instance.newSession();
        user.begin(Isolation.SERIALIZABLE, Durability.SYNC, Long.MAX_VALUE, Long.MAX_VALUE);
        user.open(table, LockMode.IS);
        Thread dropping = Thread.ofPlatform().start(() -> instance.schema().dropTable("dropped"));
        awaitLockWait(dropping);
        Thread creating = Thread.ofPlatform().start(() -> instance.schema().createTable(narrow("next")));
        awaitLockWait(creating);
        user.commit();
        user.close();
        dropping.join();
        creating.join();
        assertEquals(0, instance.validate().ghosts());
        for (int filler = 0; filler < TABLES; filler++) {
            instance.schema().createTable(narrow("filler" + filler));
        }
        instance.abandon();
        Instance reopened = open();
        assertEquals(TABLES + 1, reopened.catalog().tables().size());
        reopened.validate();
        reopened.close();
    }

    /** The same for what a failed change leaves: of a table that was created and taken back, say. */
    @Test
    void aChangeTakenBackLeavesNoGhostToTheNextChange() throws InterruptedException {
        Instance instance = open();
        SessionCore changing = instance.newSession();
        changing.begin(Isolation.SERIALIZABLE, Durability.SYNC, Long.MAX_VALUE, Long.MAX_VALUE);
        changing.lock(LockName.ofTable(CatalogStore.TREE_ID), LockMode.X);
        changing.cleanUpLocked();
        CatalogStore.insert(changing, instance.catalogTree(), new StoredTable(wide("undone"), 1_000, 1_000, List.of()));
        Thread creating = Thread.ofPlatform().start(() -> instance.schema().createTable(narrow("next")));
        awaitLockWait(creating);
        changing.rollback();
        changing.close();
        creating.join();
        assertEquals(0, instance.validate().ghosts());
        instance.close();
    }

    private static void awaitLockWait(Thread thread) {
        // Ends with the wait, or with the thread.
        while (true) {
            boolean alive = thread.isAlive();
            Thread.State state = thread.getState();
            boolean parked = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
            for (StackTraceElement frame : thread.getStackTrace()) {
                if (parked && frame.getClassName().equals(LockManager.class.getName())) {
                    return;
                }
            }
            assertTrue(alive, "the thread did not wait for a lock");
            Thread.onSpinWait();
        }
    }

    /** The entry of a table whose creation is undone by recovery: its ghost names a chain that is free. */
    @Test
    void theValueOfAGhostIsNotRead() {
        Instance instance = open();
        SessionCore session = instance.newSession();
        session.begin(Isolation.SERIALIZABLE, Durability.SYNC, Long.MAX_VALUE, Long.MAX_VALUE);
        CatalogStore.insert(session, instance.catalogTree(), new StoredTable(wide("undone"), 1_000, 1_000, List.of()));
        instance.log().awaitDurable(session.context().lastLsn(), new Waiter());
        instance.abandon();

        Instance recovered = open();
        assertNotNull(recovered.recoveryReport());
        assertEquals(1, recovered.recoveryReport().loserCount());
        assertEquals(1, recovered.validate().ghosts());
        for (int table = 0; table < TABLES; table++) {
            recovered.schema().createTable(narrow("filler" + table));
        }
        recovered.abandon();

        Instance again = open();
        assertEquals(TABLES, again.catalog().tables().size());
        again.validate();
        again.close();
    }
}
