package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checkpoints that applications ask for in a database without a log. */
class UnloggedCheckpointTest {
    private static final Path HOME = Path.of("/database");
    private static final int CHECKPOINTS = 200;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database open(FaultyStorage storage) {
        DatabaseOptions options =
                ValidatedDatabase.USUAL.toBuilder().durability(Durability.NONE).build();
        return validated.unexamined(Database.open(storage, HOME, options, null, LogOptions.sync()));
    }

    private Database create(FaultyStorage storage) {
        Database database = open(storage);
        database.createTable(DatabaseTest.accounts());
        return database;
    }

    private static void insert(Database database, int id) {
        Table table = database.table("account");
        database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), id, "name", id));
    }

    @Test
    void severalAtATimeReplaceOneAfterTheOther() throws Exception {
        Database database = create(new FaultyStorage(1));
        Callable<Void> work = () -> {
            for (int i = 0; i < CHECKPOINTS; i++) {
                database.checkpoint();
            }
            return null;
        };
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            for (Future<Void> done : executor.invokeAll(List.of(work, work))) {
                done.get();
            }
        }
        database.close();
    }

    /**
     * Nobody knows what is on the medium then, and there is no log that would bring it back. Any other failure is
     * told, and a database that goes on after it has lost nothing.
     */
    @Test
    void aForceThatFailsEndsTheDatabase() {
        int failedForces = 0;
        boolean hasFailed = true;
        // Ends behind the last change that a checkpoint makes.
        for (int change = 1; hasFailed; change++) {
            FaultyStorage storage = new FaultyStorage(change);
            Database database = create(storage);
            insert(database, 1);
            storage.failAtChange(change, false);
            long failsAt = storage.changeCount() + change;
            boolean isUsable = true;
            try {
                database.checkpoint();
                hasFailed = false;
                assertTrue(storage.changeCount() < failsAt, "nobody was told of the failure at change " + change);
            } catch (DatabaseFailedException failed) {
                isUsable = false;
                failedForces++;
            } catch (StorageException refused) {
                isUsable = !database.instance().health().isFailed();
                if (refused.getMessage().contains("operation=force")) {
                    assertFalse(isUsable, "change=" + change);
                    failedForces++;
                }
            }
            storage.heal();
            if (isUsable) {
                insert(database, 2);
                database.close();
                requireRows(storage, change);
            } else {
                assertThrows(DatabaseFailedException.class, () -> insert(database, 2));
                database.close();
            }
        }
        assertTrue(failedForces > 2, "failedForces=" + failedForces);
    }

    private void requireRows(FaultyStorage storage, int change) {
        Database again = open(storage);
        assertEquals(List.of(1, 2), DatabaseTest.ids(again, null), "change=" + change);
        validated.close(again);
    }
}
