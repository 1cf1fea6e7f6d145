package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.scheduler.PinnedSThreadException;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An S-thread that cannot be suspended gets no frame, and the pool keeps the one that it asked for. */
class PinnedFrameWaitTest {
    private static final Path HOME = Path.of("/database");

    /** 2 MB of rows, twice the pool. */
    private static final int ROWS = 3_000;

    private static final int NAME_LENGTH = 600;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final HeldStorage storage = new HeldStorage(new FaultyStorage(1));

    @Test
    void givesUpTheFrameThatItCannotWaitFor() throws InterruptedException {
        SchedulerOptions options =
                SchedulerOptions.defaults().withKind(SThreadKind.CONTINUATION).withCarriers(1);
        try (Scheduler scheduler = new Scheduler(options)) {
            LogOptions log = LogOptions.sync().withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
            Database database =
                    validated.unexamined(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, scheduler, log));
            Table table = database.createTable(DatabaseTest.accounts());
            database.run(transaction -> write(transaction, table));
            storage.holdLogForces();
            Worker writing = new Worker(() -> database.run(transaction -> rewrite(transaction, table)));
            writing.awaitParkedIn("takeFrame");
            PinnedWork pinned = new PinnedWork(() -> database.run(transaction -> readBackwards(transaction, table)));
            scheduler.start("pinned", 0, pinned);
            scheduler.awaitTermination();
            storage.release();
            writing.join();
            assertInstanceOf(PinnedSThreadException.class, pinned.failure());
            database.validate();
            database.close();
        }
    }

    private static void write(Transaction transaction, Table table) {
        Record row = table.newRecord();
        for (int id = 0; id < ROWS; id++) {
            DatabaseTest.put(transaction, table, row, id, "x".repeat(NAME_LENGTH), id);
        }
    }

    private static void rewrite(Transaction transaction, Table table) {
        Record row = table.newRecord();
        for (int id = 0; id < ROWS; id++) {
            assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
            row.setString(1, "y".repeat(NAME_LENGTH));
            transaction.update(table, row);
        }
    }

    private static void readBackwards(Transaction transaction, Table table) {
        Record row = table.newRecord();
        for (int id = ROWS - 1; id >= 0; id--) {
            assertTrue(transaction.fetch(table, table.newKey().add(id), row));
        }
    }
}
