package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What has been committed stays, and is answered, where its S-thread cannot be suspended to wait for the disk, because
 * something holds it on its carrier.
 */
class PinnedCommitTest {
    private static final Path HOME = Path.of("/database");
    private static final int ROWS = 2_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @Test
    void aTableKeepsItsPages() throws InterruptedException {
        change(database -> {}, database -> database.createTable(DatabaseTest.accounts()));
    }

    @Test
    void anIndexKeepsItsPages() throws InterruptedException {
        change(
                database -> database.createTable(DatabaseTest.accounts()),
                database -> database.createIndex(IndexDefinition.of("by_name", "account", "name")));
    }

    @Test
    void aRowIsThereAndAnsweredFor() throws InterruptedException {
        change(
                database -> database.createTable(DatabaseTest.accounts()),
                database -> database.run(transaction -> {
                    Table table = database.table("account");
                    DatabaseTest.put(transaction, table, table.newRecord(), ROWS, "name", ROWS);
                }));
    }

    /** The pages of a large row are given back behind the commit, and are read for that. */
    @Test
    void aLargeRowIsRemoved() throws InterruptedException {
        HeldStorage storage = new HeldStorage(new FaultyStorage(1));
        LogOptions log = LogOptions.sync().withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        Database filled = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, log);
        Table table = filled.createTable(TableDefinition.named("document")
                .column("id", ColumnType.int32())
                .column("text", ColumnType.string(100_000))
                .primaryKey("id")
                .build());
        filled.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < 2; id++) {
                row.clear();
                row.setInt(0, id);
                row.setString(1, id == 0 ? "short" : "x".repeat(100_000));
                transaction.insert(table, row);
            }
        });
        filled.close();
        SchedulerOptions options =
                SchedulerOptions.defaults().withKind(SThreadKind.CONTINUATION).withCarriers(1);
        try (Scheduler scheduler = new Scheduler(options)) {
            Database database =
                    validated.unexamined(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, scheduler, log));
            Table documents = database.table("document");
            database.run(transaction ->
                    assertTrue(transaction.fetch(documents, documents.newKey().add(0), documents.newRecord())));
            storage.holdPageReads();
            PinnedWork pinned = new PinnedWork(() -> database.run(transaction ->
                    assertTrue(transaction.delete(documents, documents.newKey().add(1)))));
            SThread deleting = scheduler.start("pinned", 0, pinned);
            awaitBlockedOrEnded(deleting);
            storage.release();
            scheduler.awaitTermination();
            assertNull(pinned.failure());
            database.validate();
            database.close();
        }
    }

    /** Ends because one of both comes: where it is not blocked it has failed. */
    private static void awaitBlockedOrEnded(SThread sThread) {
        boolean blocked = false;
        while (!blocked && !sThread.hasEnded()) {
            for (StackTraceElement frame : sThread.carrierThread().getStackTrace()) {
                blocked |= frame.getClassName().endsWith(".PoolRequest");
            }
            Thread.onSpinWait();
        }
    }

    private void change(Consumer<Database> before, Consumer<Database> change) throws InterruptedException {
        SchedulerOptions options =
                SchedulerOptions.defaults().withKind(SThreadKind.CONTINUATION).withCarriers(1);
        try (Scheduler scheduler = new Scheduler(options)) {
            LogOptions log = LogOptions.sync().withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
            Database database = validated.unexamined(
                    Database.open(new FaultyStorage(1), HOME, ValidatedDatabase.SMALLEST, scheduler, log));
            before.accept(database);
            PinnedWork pinned = new PinnedWork(() -> change.accept(database));
            scheduler.start("pinned", 0, pinned);
            scheduler.awaitTermination();
            assertNull(pinned.failure());
            Table other = database.createTable(TableDefinition.named("other")
                    .column("id", ColumnType.int32())
                    .primaryKey("id")
                    .build());
            fill(database, database.table("account"), other);
            List<Integer> ids = DatabaseTest.ids(database, "by_amount");
            assertEquals(ids.size() - 1, ids.getLast());
            assertTrue(ids.size() >= ROWS, ids::toString);
            database.validate();
            database.close();
        }
    }

    private static void fill(Database database, Table accounts, Table other) {
        database.run(transaction -> {
            Record account = accounts.newRecord();
            Record row = other.newRecord();
            for (int id = 0; id < ROWS; id++) {
                DatabaseTest.put(transaction, accounts, account, id, "name", id);
                row.clear();
                row.setInt(0, id);
                transaction.insert(other, row);
            }
        });
    }
}
