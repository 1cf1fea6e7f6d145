package dev.lockstep.bench.prove.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.lockstep.LockstepRetention;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What leaves a database of TPC-C, and what stays. */
class RowArchiveTest {
    private static final TpccScale SCALE = new TpccScale(1, 1_000, 60, 20);
    private static final int TRANSACTIONS = 2_000;

    @TempDir
    Path directory;

    private LockstepAdapter adapter;
    private RowArchive archive;
    private int removedOrders;
    private int removedHistories;

    @BeforeEach
    void open() throws Exception {
        Database database =
                Database.inMemory(DatabaseOptions.builder().poolBytes(64L << 20).build());
        adapter = new LockstepAdapter(database, null, Durability.NONE, Duration.ofSeconds(30));
        archive = new RowArchive(directory);
    }

    @AfterEach
    void close() throws Exception {
        archive.close();
        adapter.database().validate();
        adapter.close();
    }

    /** Loads and runs, and removes all that may go when the terminals have ended, before anything is checked. */
    private TpccResult runAndRemove(long beforeMillis) throws InterruptedException {
        TpccConfiguration configuration = TpccConfiguration.builder(SCALE)
                .terminals(4)
                .transactions(0, TRANSACTIONS)
                .build();
        TpccProgress progress = new TpccProgress() {
            @Override
            public void phase(Phase phase) {
                if (phase == Phase.CHECK_RESULT) {
                    try (LockstepRetention retention = adapter.openRetention(SCALE)) {
                        removedOrders = retention.removeOrders(beforeMillis, archive);
                        removedHistories = retention.removeHistories(beforeMillis, archive);
                        assertEquals(0, retention.removeOrders(beforeMillis, archive), "all had gone");
                    }
                }
            }
        };
        PausingAdapter both = new PausingAdapter(adapter, archive, 0);
        return TpccRun.execute(configuration, both, TerminalThreads.virtual(), progress);
    }

    @Test
    void archiveAndDatabaseTogetherKeepTheConditions() throws InterruptedException {
        TpccResult result = runAndRemove(Long.MAX_VALUE);
        assertTrue(result.ok(), result::toString);
        assertTrue(removedOrders > 500, "removedOrders=" + removedOrders);
        assertTrue(removedHistories > TRANSACTIONS / 3, "removedHistories=" + removedHistories);
        assertTrue(archive.rowCount() > removedOrders * 6L + removedHistories, "rowCount=" + archive.rowCount());
    }

    @Test
    void theDatabaseAloneDoesNot() throws InterruptedException {
        runAndRemove(Long.MAX_VALUE);
        try (TpccScanner left = adapter.openScanner()) {
            ConsistencyCheck.Report report = ConsistencyCheck.check(SCALE, left, (w, d) -> 0);
            for (int condition : new int[] {8, 9, 10, 11, 12}) {
                assertNotEquals(ConsistencyCheck.OK, report.conditions().get(condition), "condition=" + condition);
            }
        }
    }

    @Test
    void eachCustomerKeepsTheNewestOrderAndAllThatAreUnderWay() throws InterruptedException {
        runAndRemove(Long.MAX_VALUE);
        Set<Integer> customers = new HashSet<>();
        Map<Integer, Integer> delivered = new HashMap<>();
        try (TpccScanner left = adapter.openScanner()) {
            left.orders(row -> {
                int customer = SCALE.customerIndex(row.warehouseId, row.districtId, row.customerId);
                customers.add(customer);
                delivered.merge(customer, row.carrierId == OrderRow.NO_CARRIER ? 0 : 1, Integer::sum);
            });
        }
        assertEquals(SCALE.customers(), customers.size(), "each was loaded with an order");
        delivered.forEach((customer, count) -> assertTrue(count <= 1, "customer=" + customer + " count=" + count));
    }

    @Test
    void whatIsNotOldStays() throws InterruptedException {
        TpccResult result = runAndRemove(0);
        assertTrue(result.ok(), result::toString);
        assertEquals(0, removedOrders);
        assertEquals(0, removedHistories);
        assertEquals(0, archive.rowCount());
    }
}
