package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.log.LogReader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A recovery writes nothing back: what if the database crashes again, before a checkpoint has. */
class RepeatedRecoveryTest {
    private static final Path HOME = Path.of("/database");

    /** Holds all pages; each opening zeroes so much, and the usual 256 MiB took most of the time of this test. */
    private static final long POOL_BYTES = 16L << 20;

    /** Makes the log of one row so long. */
    private static final String NAME = "n".repeat(1_000);

    private final FaultyStorage storage = new FaultyStorage(2);

    private Database open(TornPageProtection protection) {
        DatabaseOptions options = DatabaseOptions.builder()
                .poolBytes(POOL_BYTES)
                .createIfMissing(true)
                .tornPageProtection(protection)
                .checkpointLogBytes(DatabaseOptions.CHECKPOINT_LOG_BYTES_MIN)
                .build();
        return Database.open(storage, HOME, options, null, LogOptions.sync());
    }

    private static void put(Database database, int id) {
        Table table = database.table("account");
        database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), id, NAME, id));
    }

    private void crash(Database database) {
        database.abandon();
        storage.crash();
    }

    @ParameterizedTest
    @EnumSource
    void whatItHasBroughtBackIsBroughtBackAgain(TornPageProtection protection) {
        Database database = open(protection);
        database.createTable(DatabaseTest.accounts());
        put(database, 1);
        crash(database);
        for (int id = 2; id < 8; id++) {
            Database again = open(protection);
            assertEquals(0, again.statistics().pageWrites(), "pages written by the opening");
            put(again, id);
            if (id == 5) {
                again.checkpoint();
            }
            crash(again);
        }
        Database last = open(protection);
        assertEquals(List.of(1, 2, 3, 4, 5, 6, 7), DatabaseTest.ids(last, null));
        last.validate();
        last.close();
    }

    /** Every opening begins a file of the log, however short. */
    @Test
    void theFilesOfTheLogDoNotBecomeMore() {
        Database database = open(TornPageProtection.DOUBLE_WRITE);
        database.createTable(DatabaseTest.accounts());
        for (int id = 0; id < 60; id++) {
            put(database, id);
            crash(database);
            long[] startLsns = LogReader.segments(storage, HOME);
            // Those that a recovery reads, and those that are kept to be used again.
            assertTrue(startLsns.length <= 16, () -> "files=" + startLsns.length);
            database = open(TornPageProtection.DOUBLE_WRITE);
            long redoScanLsn = database.status().recovery().redoScanLsn();
            if (Arrays.stream(startLsns).filter(lsn -> lsn > redoScanLsn).count() >= 8) {
                // Ends when the checkpoint is written that the opening has asked for.
                while (database.status().checkpoint().completedCount() == 0) {
                    Thread.onSpinWait();
                }
            }
        }
        assertEquals(IntStream.range(0, 60).boxed().toList(), DatabaseTest.ids(database, null));
        database.validate();
        database.close();
    }

    /** However often it crashes: the log that has to be repeated does not grow. */
    @Test
    void aCheckpointIsDueByTheLogOfAllOpenings() {
        Database database = open(TornPageProtection.DOUBLE_WRITE);
        database.createTable(DatabaseTest.accounts());
        int id = 1;
        long logMax = DatabaseOptions.CHECKPOINT_LOG_BYTES_MIN;
        for (int crashes = 0; crashes < 12; crashes++) {
            // Ends because every row makes the log longer.
            while (database.statistics().logBytes() < logMax * 2 / 3) {
                put(database, id++);
            }
            crash(database);
            database = open(TornPageProtection.DOUBLE_WRITE);
            // Ends when the checkpoint is written that is due.
            while (database.status().checkpoint().bytesUntilNext() == 0) {
                Thread.onSpinWait();
            }
            DatabaseStatus.RecoveryStatus recovery = database.status().recovery();
            // Two intervals, and the row that ends the second.
            assertTrue(recovery.endLsn() - recovery.redoScanLsn() < 3 * logMax, recovery::toString);
        }
        assertEquals(IntStream.range(1, id).boxed().toList(), DatabaseTest.ids(database, null));
        database.validate();
        database.close();
    }
}
