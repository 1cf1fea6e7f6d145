package dev.lockstep.tpcc.lockstep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.InterceptedAdapter;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies made while TPC-C runs keep its conditions. */
class BackupUnderLoadTest {
    private static final int TRANSACTIONS = 4_000;

    /** Begins from one copy to the next; the last copy has many of them behind it. */
    private static final int BEGINS_PER_COPY = 1_000;

    /** So many transactions begin between the first page of a copy and its last byte of log. */
    private static final int BEGINS_WITHIN_COPY = 100;

    @TempDir
    Path directory;

    private static DatabaseOptions options() {
        return DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .build();
    }

    /** Makes a copy now and then in the thread of a terminal, while the others go on. */
    private final class Copies implements InterceptedAdapter.Watcher {
        private final Database database;
        private final AtomicInteger begins = new AtomicInteger();
        private final AtomicBoolean copying = new AtomicBoolean();
        private final List<Path> made = new CopyOnWriteArrayList<>();
        private volatile CountDownLatch begun = new CountDownLatch(0);
        private volatile boolean isOver;

        Copies(Database database) {
            this.database = database;
        }

        @Override
        public void called(String method) {
            if (!method.equals("begin")) {
                return;
            }
            begun.countDown();
            int number = begins.incrementAndGet();
            if (number < TRANSACTIONS && number % BEGINS_PER_COPY == 0 && copying.compareAndSet(false, true)) {
                boolean[] hasWaited = new boolean[1];
                Path copy = directory.resolve("copy-" + made.size());
                database.backup(copy, (stage, done, total) -> {
                    if (!hasWaited[0]) {
                        hasWaited[0] = true;
                        awaitBegins();
                    }
                });
                made.add(copy);
                copying.set(false);
            }
        }

        /** Ends: the other terminals have more transactions to do than that, or have failed with the run. */
        private void awaitBegins() {
            begun = new CountDownLatch(BEGINS_WITHIN_COPY);
            if (isOver) {
                return;
            }
            try {
                begun.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        /** Lets go whoever waits for transactions that do not come any more. */
        void end() {
            isOver = true;
            while (begun.getCount() > 0) {
                begun.countDown();
            }
        }
    }

    @Test
    void copiesKeepTheConditions() throws InterruptedException {
        Database database = Database.open(directory.resolve("database"), options());
        Copies copies = new Copies(database);
        TpccConfiguration configuration = TpccConfiguration.builder(SmallDatabase.SCALE)
                .terminals(10)
                .transactions(50, TRANSACTIONS)
                .build();
        try (LockstepAdapter adapter = new LockstepAdapter(database, null, Durability.ASYNC, Duration.ofSeconds(30))) {
            TpccResult result = execute(configuration, adapter, copies);
            assertTrue(result.ok(), result::toString);
            database.validate();
        }
        assertFalse(copies.made.isEmpty());
        for (Path copy : copies.made) {
            requireConsistent(copy);
        }
    }

    private static TpccResult execute(TpccConfiguration configuration, LockstepAdapter adapter, Copies copies)
            throws InterruptedException {
        try {
            return TpccRun.execute(
                    configuration,
                    new InterceptedAdapter(adapter, copies).proxy(),
                    TerminalThreads.virtual(),
                    TpccProgress.NONE);
        } finally {
            copies.end();
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
