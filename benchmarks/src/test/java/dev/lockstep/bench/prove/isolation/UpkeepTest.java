package dev.lockstep.bench.prove.isolation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.type.ColumnType;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UpkeepTest {
    /** Like a rule of the engine that does not hold. */
    @Test
    void anErrorBesideTransactionsIsAFailure() throws InterruptedException {
        AssertionError error = new AssertionError("a rule does not hold");
        Path backups = (Path) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Path.class}, (proxy, method, values) -> {
                    throw error;
                });
        try (Database database = Database.inMemory(DatabaseOptions.defaults())) {
            database.createTable(TableDefinition.named(HistoryRecorder.TABLE)
                    .column("key", ColumnType.int32())
                    .column("register", ColumnType.int64())
                    .primaryKey("key")
                    .build());
            Upkeep upkeep = Upkeep.start(database, backups, all -> Map.of());
            upkeep.end();
            assertEquals(
                    error,
                    assertThrows(IllegalStateException.class, upkeep::backups).getCause());
            database.validate();
        }
    }
}
