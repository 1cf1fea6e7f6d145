package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Durable commits beside a checkpoint whose disk does not answer. */
class FuzzyCheckpointTest {
    private static final Path HOME = Path.of("/database");
    private static final int ROWS = 600;
    private static final int AMOUNT = 2;
    private static final long MORE = 1_000_000;
    private static final String NAME = "n".repeat(1_000);

    @RegisterExtension
    final ValidatedDatabase databases = new ValidatedDatabase();

    /**
     * The checkpoint has begun to write pages, and gets no further: all rows change meanwhile, those of the pages under
     * way too, and new ones split leaves. A crash then finds everything, though the checkpoint knew nothing of it.
     */
    @Test
    void writersGoOn() throws InterruptedException {
        FaultyStorage medium = new FaultyStorage(1);
        HeldStorage disk = new HeldStorage(medium);
        Database database =
                databases.track(Database.open(disk, HOME, ValidatedDatabase.USUAL, null, LogOptions.sync()));
        Table table = DatabaseTest.filled(database, ROWS, NAME);
        CountDownLatch batch = disk.holdBatch(1);
        Thread checkpointing = Thread.ofPlatform().name("checkpointing").start(() -> {
            try {
                database.checkpoint();
            } finally {
                // Without a batch the test fails, and does not hang.
                batch.countDown();
            }
        });
        try {
            batch.await();
            database.run(transaction -> change(transaction, table));
            database.run(transaction -> {
                Record row = table.newRecord();
                for (int id = ROWS; id < 2 * ROWS; id++) {
                    DatabaseTest.put(transaction, table, row, id, NAME, id + MORE);
                }
            });
            assertTrue(database.status().checkpoint().running(), "nobody has waited for its end");
        } finally {
            disk.release();
            checkpointing.join();
        }
        database.abandon();
        medium.crash();
        Database recovered =
                databases.track(Database.open(medium, HOME, ValidatedDatabase.USUAL, null, LogOptions.sync()));
        Table same = recovered.table("account");
        recovered.run(transaction -> {
            Record row = same.newRecord();
            for (int id = 0; id < 2 * ROWS; id++) {
                assertTrue(transaction.fetch(same, same.newKey().add(id), row));
                assertEquals(id + MORE, row.getLong(AMOUNT));
            }
        });
    }

    private static void change(Transaction transaction, Table table) {
        Record row = table.newRecord();
        for (int id = 0; id < ROWS; id++) {
            assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
            row.setLong(AMOUNT, id + MORE);
            assertTrue(transaction.update(table, row));
        }
    }
}
