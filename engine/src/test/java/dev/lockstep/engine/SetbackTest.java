package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.DelegatingStorage;
import dev.lockstep.engine.recovery.CheckpointLayout;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What fails in the background is told by the status, since no call of the application could be. */
class SetbackTest {
    private static final Path HOME = Path.of("/database");
    private static final int ROWS_OF_A_CHECKPOINT = 4_000;
    private static final long POLL_NANOS = 100_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private volatile boolean refuses;

    private Database open() {
        DelegatingStorage storage = new DelegatingStorage(new FaultyStorage(1)) {
            @Override
            public BlockFile open(Path path, OpenMode mode) {
                if (refuses && mode == OpenMode.CREATE && path.endsWith(CheckpointLayout.TEMPORARY_FILE_NAME)) {
                    throw new DiskFullException("no room for the checkpoint");
                }
                return super.open(path, mode);
            }
        };
        DatabaseOptions options = ValidatedDatabase.USUAL.toBuilder()
                .checkpointLogBytes(DatabaseOptions.CHECKPOINT_LOG_BYTES_MIN)
                .build();
        return validated.unexamined(Database.open(storage, HOME, options, null, LogOptions.sync()));
    }

    private static void insert(Database database, Table table, int from) {
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = from; id < from + ROWS_OF_A_CHECKPOINT; id++) {
                DatabaseTest.put(transaction, table, row, id, "x".repeat(500), id);
            }
        });
    }

    @Test
    void aCheckpointThatFailsInTheBackgroundIsASetback() {
        try (Database database = open()) {
            Table table = database.createTable(DatabaseTest.accounts());
            refuses = true;
            assertThrows(DiskFullException.class, database::checkpoint);
            assertEquals(
                    new DatabaseStatus.HealthStatus("", 0, ""),
                    database.status().health(),
                    "whoever asked for a checkpoint is told by it");
            insert(database, table, 0);
            // Ends: the log is longer than a checkpoint may be away.
            while (database.status().health().setbackCount() == 0) {
                LockSupport.parkNanos(POLL_NANOS);
            }
            DatabaseStatus.HealthStatus health = database.status().health();
            assertEquals("", health.failure());
            assertTrue(health.lastSetback().contains("no room for the checkpoint"), health.lastSetback());
            refuses = false;
            long completed = database.status().checkpoint().completedCount();
            insert(database, table, ROWS_OF_A_CHECKPOINT);
            // Ends likewise.
            while (database.status().checkpoint().completedCount() == completed) {
                LockSupport.parkNanos(POLL_NANOS);
            }
            assertEquals(
                    health.lastSetback(), database.status().health().lastSetback(), "it is told until a later one");
            database.validate();
        }
    }

    @Test
    void ofAFailedDatabaseTheCauseIsTold() {
        Database database = validated.unexamined(Database.inMemory(ValidatedDatabase.USUAL));
        database.instance().health().fail(new StorageException("the disk is gone"));
        assertTrue(database.status().health().failure().contains("the disk is gone"));
        database.close();
    }
}
