package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

    @Test
    void aDatabaseInMemoryHasNoLog() {
        try (Database database = validated.inMemory()) {
            Table table = database.createTable(DatabaseTest.accounts());
            database.run(tx -> DatabaseTest.put(tx, table, table.newRecord(), 1, "name", 1));
            DatabaseStatistics statistics = database.statistics();
            assertEquals(0, statistics.commits());
            assertEquals(0, statistics.logForces());
            assertEquals(0, statistics.logBytes());
        }
    }
}
