package dev.lockstep.tpcc.lockstep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.SmallDatabase;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies made while TPC-C runs keep its conditions. */
class BackupUnderLoadTest {
    private static final int TRANSACTIONS = 4_000;

    @TempDir
    Path directory;

    private static DatabaseOptions options() {
        return DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .build();
    }

    @Test
    void copiesKeepTheConditions() throws InterruptedException {
        Database database = Database.open(directory.resolve("database"), options());
        List<Path> copies = new CopyOnWriteArrayList<>();
        TpccConfiguration configuration = TpccConfiguration.builder(SmallDatabase.SCALE)
                .terminals(10)
                .transactions(50, TRANSACTIONS)
                .build();
        // Told about ten times a second, by a thread that is no terminal, while these run.
        TpccProgress progress = new TpccProgress() {
            @Override
            public void running(long transactions, Duration elapsed) {
                if (transactions < TRANSACTIONS && copies.size() < 3) {
                    Path copy = directory.resolve("copy-" + copies.size());
                    database.backup(copy);
                    copies.add(copy);
                }
            }
        };
        try (LockstepAdapter adapter = new LockstepAdapter(database, null, Durability.ASYNC, Duration.ofSeconds(30))) {
            TpccResult result = TpccRun.execute(configuration, adapter, TerminalThreads.virtual(), progress);
            assertTrue(result.ok(), result::toString);
        }
        assertTrue(!copies.isEmpty(), "no copy was made while terminals ran");
        for (Path copy : copies) {
            requireConsistent(copy);
        }
    }

    private static void requireConsistent(Path copy) {
        Database database = Database.open(copy, options());
        try (LockstepAdapter adapter = new LockstepAdapter(database, null, Durability.ASYNC, Duration.ofSeconds(30))) {
            database.validate();
            try (TpccScanner counted = adapter.openScanner();
                    TpccScanner scanner = adapter.openScanner()) {
                // How many orders had been delivered when the copy was made is what the copy itself says.
                ConsistencyCheck.Report found = ConsistencyCheck.afterLoad(SmallDatabase.SCALE, counted);
                ConsistencyCheck.Report report = ConsistencyCheck.check(
                        SmallDatabase.SCALE, scanner, (w, d) -> found.totals().delivered(w, d));
                assertTrue(report.ok(), () -> copy + ": " + report.conditions());
                assertEquals(ConsistencyCheck.CONDITIONS, report.conditions().size());
            }
        }
    }
}
