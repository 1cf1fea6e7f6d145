package dev.lockstep.tpcc.lockstep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.tpcc.SmallDatabase;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.workload.SThreadTerminals;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** TPC-C on Lockstep keeps its conditions and the driver's tally under every scheduling and durability. */
class LockstepRunTest {
    private static final int TRANSACTIONS = 3_000;

    /** A pool of 1 MiB, the smallest: less than half of what the small database takes. */
    private static final long SMALL_POOL_BYTES = DatabaseOptions.POOL_BYTES_MIN;

    @TempDir
    Path directory;

    private static TpccConfiguration configuration(int terminals) {
        return TpccConfiguration.builder(SmallDatabase.SCALE)
                .terminals(terminals)
                .transactions(50, TRANSACTIONS)
                .build();
    }

    private static void run(Database database, TerminalThreads threads, Durability durability, int terminals)
            throws InterruptedException {
        try (LockstepAdapter adapter = new LockstepAdapter(database, null, durability, Duration.ofSeconds(30))) {
            TpccResult result = TpccRun.execute(configuration(terminals), adapter, threads, TpccProgress.NONE);
            assertTrue(result.ok(), result::toString);
            assertEquals(TRANSACTIONS, result.committed() + result.aborts().get(AbortReason.UNUSED_ITEM));
            examine(database, durability);
        }
    }

    /** The structures are sound, and each index leads to every row of its table once. */
    private static void examine(Database database, Durability durability) {
        database.validate();
        for (String name : database.tableNames()) {
            Table table = database.table(name);
            TransactionOptions options = TransactionOptions.of(DatabaseOptions.defaults())
                    .withDurability(durability)
                    .withIsolation(Isolation.READ_COMMITTED);
            database.run(options, transaction -> {
                List<String> rows = primaryKeys(transaction, table);
                for (IndexDefinition index : table.definition().indexes()) {
                    assertEquals(rows, primaryKeysByIndex(transaction, table, index.name()), index::name);
                }
            });
        }
        database.validate();
    }

    private static List<String> primaryKeys(Transaction transaction, Table table) {
        List<String> keys = new ArrayList<>();
        Record row = table.newRecord();
        Key key = table.newKey();
        try (Cursor cursor = transaction.scan(table)) {
            while (cursor.next(row)) {
                keys.add(text(key.copyFrom(row)));
            }
        }
        keys.sort(null);
        return keys;
    }

    private static List<String> primaryKeysByIndex(Transaction transaction, Table table, String index) {
        List<String> keys = new ArrayList<>();
        Key key = table.newKey();
        try (Cursor cursor = transaction.scan(table, index)) {
            while (cursor.nextKey(key)) {
                keys.add(text(key));
            }
        }
        keys.sort(null);
        return keys;
    }

    private static String text(Key key) {
        return HexFormat.of().formatHex(key.bytes(), 0, key.length());
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void virtualThreadsOfTheJdk(Durability durability) throws InterruptedException {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .durability(durability)
                .poolBytes(SMALL_POOL_BYTES)
                .build();
        run(Database.open(directory, options), TerminalThreads.virtual(), durability, 20);
        try (Database reopened = Database.open(directory, options)) {
            examine(reopened, durability);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "VIRTUAL, 1, GOVERNED", "VIRTUAL, 1, ON", "VIRTUAL, 2, ON",
        "CONTINUATION, 1, GOVERNED", "CONTINUATION, 1, ON", "CONTINUATION, 2, ON"
    })
    void teamsOfSThreads(SThreadKind kind, int carriers, TeamMode mode) throws InterruptedException {
        SchedulerOptions options = SchedulerOptions.defaults()
                .withKind(kind)
                .withCarriers(carriers)
                .withTeamMode(mode)
                .withSwitchPointsOn(true);
        try (Scheduler scheduler = new Scheduler(options)) {
            Database database = Database.inMemory(DatabaseOptions.defaults(), scheduler);
            run(database, new SThreadTerminals(scheduler, SmallDatabase.SCALE.warehouses()), Durability.NONE, 20);
            if (mode == TeamMode.ON) {
                long teams = scheduler.statistics().stream()
                        .mapToLong(OperationStatistics::teams)
                        .sum();
                long switches = scheduler.statistics().stream()
                        .mapToLong(OperationStatistics::switches)
                        .sum();
                assertTrue(teams > 0 && switches > 0, () -> "teams=" + teams + " switches=" + switches);
            }
        }
    }

    @Test
    void teamsThatWaitForTheDisk() throws InterruptedException {
        SchedulerOptions options = SchedulerOptions.defaults()
                .withKind(SThreadKind.CONTINUATION)
                .withTeamMode(TeamMode.ON)
                .withSwitchPointsOn(true);
        try (Scheduler scheduler = new Scheduler(options)) {
            DatabaseOptions files = DatabaseOptions.builder()
                    .createIfMissing(true)
                    .poolBytes(SMALL_POOL_BYTES)
                    .build();
            Database database = Database.open(directory, files, scheduler);
            run(database, new SThreadTerminals(scheduler, SmallDatabase.SCALE.warehouses()), Durability.SYNC, 20);
        }
    }
}
