package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class DatabaseStatisticsTest {
    private static final int TRANSACTIONS = 7;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    @Test
    void countsCommitsAndForces() {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .extraForceDelay(Duration.ofMillis(1))
                .build();
        try (Database database = validated.open(directory, options, null)) {
            Table table = database.createTable(DatabaseTest.accounts());
            DatabaseStatistics before = database.statistics();
            for (int id = 0; id < TRANSACTIONS; id++) {
                int number = id;
                database.run(tx -> DatabaseTest.put(tx, table, table.newRecord(), number, "name", number));
            }
            DatabaseStatistics after = database.statistics();
            assertEquals(TRANSACTIONS, after.commits() - before.commits());
            // One thread: each commit waits for a force of its own.
            assertTrue(after.logForces() - before.logForces() >= TRANSACTIONS, after.toString());
            assertTrue(after.logBytes() > before.logBytes(), after.toString());
            assertEquals(0, after.deadlocks());
        }
    }

    /** Log that is appended may wait for the file system; that of a commit that was answered has reached it. */
    @Test
    void countsLogAsWrittenOnceTheFileSystemHasIt() {
        HeldStorage storage = new HeldStorage(new FaultyStorage(1));
        LogOptions log = LogOptions.sync().withClock(storage.clock());
        Database database =
                validated.track(Database.open(storage, Path.of("/database"), ValidatedDatabase.SMALLEST, null, log));
        Table table = database.createTable(DatabaseTest.accounts());
        DatabaseStatistics before = database.statistics();
        PendingCommit answer = database.newPendingCommit();
        storage.holdLogWrites();
        try (Session session = database.openSession()) {
            Transaction writer = session.begin();
            DatabaseTest.put(writer, table, table.newRecord(), 1, "name", 1);
            writer.commit(answer);
            DatabaseStatistics held = database.statistics();
            assertTrue(held.logBytes() > before.logBytes(), held.toString());
            assertEquals(before.logWrittenBytes(), held.logWrittenBytes());
        } finally {
            storage.release();
        }
        answer.await();
        DatabaseStatistics after = database.statistics();
        assertTrue(after.logWrittenBytes() > before.logWrittenBytes(), after.toString());
        assertEquals(after.logBytes(), after.logWrittenBytes());
    }

    @Test
    void aDatabaseInMemoryHasNoLog() {
        try (Database database = validated.inMemory()) {
            Table table = database.createTable(DatabaseTest.accounts());
            database.run(tx -> DatabaseTest.put(tx, table, table.newRecord(), 1, "name", 1));
            DatabaseStatistics statistics = database.statistics();
            assertEquals(0, statistics.commits());
            assertEquals(0, statistics.logForces());
            assertEquals(0, statistics.logBytes());
            assertEquals(0, statistics.logWrittenBytes());
        }
    }
}
