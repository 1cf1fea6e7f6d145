package dev.lockstep.engine;

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
        Database database = validated.unexamined(Database.open(storage, HOME, options, null, LogOptions.sync()));
        database.createTable(DatabaseTest.accounts());
        return database;
    }

    private static void insert(Database database, int id) {
        Table table = database.table("account");
        database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), id, "name", id));
    }

    @Test
    void severalAtATimeReplaceOneAfterTheOther() throws Exception {
        Database database = open(new FaultyStorage(1));
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

    /** Nobody knows what is on the medium then, and there is no log that would bring it back. */
    @Test
    void aForceThatFailsEndsTheDatabase() {
        int failedForces = 0;
        boolean hasFailed = true;
        // Ends behind the last change that a checkpoint makes.
        for (int change = 1; hasFailed; change++) {
            FaultyStorage storage = new FaultyStorage(change);
            Database database = open(storage);
            insert(database, 1);
            storage.failAtChange(change, false);
            try {
                database.checkpoint();
                hasFailed = false;
            } catch (DatabaseFailedException failed) {
                assertThrows(DatabaseFailedException.class, () -> insert(database, 2));
                failedForces++;
            } catch (StorageException refused) {
                if (refused.getMessage().contains("operation=force")) {
                    assertThrows(DatabaseFailedException.class, () -> insert(database, 2));
                    failedForces++;
                }
            }
            storage.heal();
            database.close();
        }
        assertTrue(failedForces > 2, "failedForces=" + failedForces);
    }
}
