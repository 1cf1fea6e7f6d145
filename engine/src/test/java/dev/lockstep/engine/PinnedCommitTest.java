package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.type.ColumnType;
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

    private static volatile Runnable pinned;

    /** What runs in an initializer holds its carrier. */
    private static final class WithTable {
        static {
            pinned.run();
        }

        static void touch() {}
    }

    private static final class WithRow {
        static {
            pinned.run();
        }

        static void touch() {}
    }

    private static final class WithIndex {
        static {
            pinned.run();
        }

        static void touch() {}
    }

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private volatile Throwable refusal;

    @Test
    void aTableKeepsItsPages() throws InterruptedException {
        change(WithTable::touch, database -> {}, database -> database.createTable(DatabaseTest.accounts()));
    }

    @Test
    void anIndexKeepsItsPages() throws InterruptedException {
        change(
                WithIndex::touch,
                database -> database.createTable(DatabaseTest.accounts()),
                database -> database.createIndex(IndexDefinition.of("by_name", "account", "name")));
    }

    @Test
    void aRowIsThereAndAnsweredFor() throws InterruptedException {
        change(
                WithRow::touch,
                database -> database.createTable(DatabaseTest.accounts()),
                database -> database.run(transaction -> {
                    Table table = database.table("account");
                    DatabaseTest.put(transaction, table, table.newRecord(), ROWS, "name", ROWS);
                }));
    }

    private void change(Runnable initializer, Consumer<Database> before, Consumer<Database> change)
            throws InterruptedException {
        SchedulerOptions options =
                SchedulerOptions.defaults().withKind(SThreadKind.CONTINUATION).withCarriers(1);
        try (Scheduler scheduler = new Scheduler(options)) {
            LogOptions log = LogOptions.sync().withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
            Database database = validated.unexamined(
                    Database.open(new FaultyStorage(1), HOME, ValidatedDatabase.SMALLEST, scheduler, log));
            before.accept(database);
            pinned = () -> {
                try {
                    change.accept(database);
                } catch (RuntimeException e) {
                    refusal = e;
                }
            };
            scheduler.start("pinned", 0, initializer);
            scheduler.awaitTermination();
            assertNull(refusal);
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
