package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.instance.InstanceOpener;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.recovery.CheckpointSchedule;
import dev.lockstep.scheduler.latch.LatchTable;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseOptionsTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private static void assertRefused(String fields, Executable action) {
        String message = assertThrows(InvalidOptionException.class, action).getMessage();
        for (String field : fields.split(" ", -1)) {
            assertTrue(message.contains(field), field + " is not in: " + message);
        }
        assertTrue(message.contains("Remedy: "), message);
    }

    @Test
    void theDefaultsAreSafe() {
        DatabaseOptions options = DatabaseOptions.defaults();
        assertEquals(Durability.SYNC, options.durability());
        assertEquals(Isolation.SERIALIZABLE, options.isolation());
        assertFalse(options.createIfMissing());
        assertFalse(options.readOnly());
        assertFalse(options.startEmptyAfterUncleanClose());
        assertEquals(256L << 20, options.poolBytes());
        assertEquals(Duration.ofSeconds(10), options.lockTimeout());
        assertEquals(Duration.ofHours(1), options.transactionTimeout());
        assertEquals(512L << 20, options.transactionUndoBytes());
        assertEquals(16L << 30, options.transactionLogBytes());
        assertEquals(64 << 20, options.logSegmentBytes());
        assertEquals(64L << 20, options.snapshotBytesMax());
        assertTrue(options.durableSnapshots());
        DatabaseOptions.Builder early = options.toBuilder().durability(Durability.ASYNC);
        assertTrue(early.build().durableSnapshots(), "at every durability that has a log");
        assertFalse(early.durableSnapshots(false).build().toBuilder().build().durableSnapshots());
        assertFalse(options.toBuilder()
                .durability(Durability.NONE)
                .durableSnapshots(true)
                .build()
                .durableSnapshots());
        assertEquals(Duration.ZERO, options.extraForceDelay());
        assertEquals(DatabaseOptions.OPEN_TRANSACTION_COUNT_UNLIMITED, options.openTransactionCountMax());
        assertEquals(256L << 20, options.checkpointLogBytes());
        assertEquals(TornPageProtection.DOUBLE_WRITE, options.tornPageProtection());
        assertTrue(options.pageChecksums());
        assertTrue(options.uncachedWrites());
        assertEquals(Duration.ofDays(365), options.checkpointInterval());
        assertEquals(0.5, options.checkpointSpread());
        assertTrue(options.toString().contains("openTransactionCountMax=unlimited"));
    }

    /** Half of the pool, in either order of the calls, within its limits; what is set stays. */
    @Test
    void checkpointsFollowThePoolUnlessTheyAreSet() {
        assertEquals(256L << 20, withPool(1L << 20).checkpointLogBytes());
        assertEquals(256L << 20, withPool(512L << 20).checkpointLogBytes());
        assertEquals(384L << 20, withPool(768L << 20).checkpointLogBytes());
        assertEquals(1L << 30, withPool(2L << 30).checkpointLogBytes());
        assertEquals(1L << 30, withPool(DatabaseOptions.POOL_BYTES_MAX).checkpointLogBytes());
        assertEquals(
                512L << 20,
                withPool(2L << 30).toBuilder().poolBytes(1L << 30).build().checkpointLogBytes());
        DatabaseOptions set =
                DatabaseOptions.builder().checkpointLogBytes(3 << 20).build();
        assertEquals(3 << 20, set.toBuilder().poolBytes(2L << 30).build().checkpointLogBytes());
        assertEquals(1L << 29, CheckpointSchedule.of(withPool(1L << 30)).intervalBytes());
        assertEquals(
                1L << 29, InstanceOpener.defaultLogOptions(withPool(1L << 30)).recycledBytes());
    }

    private static DatabaseOptions withPool(long bytes) {
        return DatabaseOptions.builder().poolBytes(bytes).build();
    }

    @Test
    void everyOptionArrivesAndIsCopied() {
        DatabaseOptions options = DatabaseOptions.builder()
                .durability(Durability.NONE)
                .isolation(Isolation.READ_COMMITTED)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .createIfMissing(true)
                .startEmptyAfterUncleanClose(true)
                .lockTimeout(Duration.ofMillis(3))
                .transactionTimeout(Duration.ofMillis(4))
                .transactionUndoBytes(1 << 20)
                .transactionLogBytes(2 << 20)
                .logSegmentBytes(DatabaseOptions.LOG_SEGMENT_BYTES_MAX)
                .extraForceDelay(Duration.ofMillis(5))
                .snapshotBytesMax(DatabaseOptions.SNAPSHOT_BYTES_MIN)
                .durableSnapshots(true)
                .openTransactionCountMax(6)
                .checkpointLogBytes(3 << 20)
                .checkpointInterval(Duration.ofSeconds(7))
                .checkpointSpread(0.25)
                .tornPageProtection(TornPageProtection.LOG_IMAGES)
                .pageChecksums(false)
                .uncachedWrites(false)
                .build();
        String expected = "durability=NONE, isolation=READ_COMMITTED, poolBytes=1048576, readOnly=false,"
                + " createIfMissing=true, startEmptyAfterUncleanClose=true, lockTimeout=PT0.003S,"
                + " transactionTimeout=PT0.004S, transactionUndoBytes=1048576, transactionLogBytes=2097152,"
                + " logSegmentBytes=268435456, extraForceDelay=PT0.005S, nodes=0, snapshotBytesMax=65536,"
                + " durableSnapshots=false, openTransactionCountMax=6, checkpointLogBytes=3145728,"
                + " checkpointInterval=PT7S, checkpointSpread=0.25, tornPageProtection=LOG_IMAGES, pageChecksums=false,"
                + " uncachedWrites=false";
        assertEquals(expected, options.toString());
        assertEquals(expected, options.toBuilder().build().toString());
        assertTrue(DatabaseOptions.builder().readOnly(true).build().readOnly());
    }

    /** A database gives its options to its transactions, its log and its checkpoints as they are. */
    @Test
    void everyPartOfADatabaseGetsItsOptions(@TempDir Path directory) {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .durability(Durability.ASYNC)
                .isolation(Isolation.READ_COMMITTED)
                .lockTimeout(Duration.ofSeconds(3))
                .transactionTimeout(Duration.ofSeconds(4))
                .logSegmentBytes(DatabaseOptions.LOG_SEGMENT_BYTES_MIN)
                .extraForceDelay(Duration.ofMillis(5))
                .checkpointLogBytes(3 << 20)
                .checkpointInterval(Duration.ofSeconds(7))
                .checkpointSpread(0.25)
                .build();
        Database database = validated.open(directory, options, null);
        TransactionOptions usual = database.transactionOptions();
        assertEquals(Isolation.READ_COMMITTED, usual.isolation());
        assertEquals(Durability.ASYNC, usual.durability());
        assertEquals(Duration.ofSeconds(3), usual.lockTimeout());
        assertEquals(Duration.ofSeconds(4), usual.timeout());
        assertEquals(0, usual.retryCountMax());
        assertFalse(usual.snapshot());
        database.run(transaction -> assertEquals(
                Isolation.READ_COMMITTED, transaction.core().context().isolation()));
        LogOptions log = InstanceOpener.defaultLogOptions(options);
        assertTrue(log.timed());
        assertEquals(DatabaseOptions.LOG_SEGMENT_BYTES_MIN, log.segmentBytes());
        assertEquals(5, log.extraForceDelayMillis());
        assertEquals(3 << 20, log.recycledBytes());
        assertEquals(new CheckpointSchedule(3 << 20, Duration.ofSeconds(7), 0.25), CheckpointSchedule.of(options));
    }

    /** However short the log. */
    @Test
    @Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aCheckpointIsWrittenWhenTheIntervalHasPassed(@TempDir Path directory) {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .checkpointInterval(DatabaseOptions.CHECKPOINT_INTERVAL_MIN)
                .build();
        Database database = validated.open(directory, options, null);
        Table table = database.createTable(DatabaseTest.accounts());
        long before = database.status().checkpoint().completedCount();
        database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), 1, "name", 1));
        // Ends with the checkpoint.
        while (database.status().checkpoint().completedCount() == before) {
            Thread.onSpinWait();
        }
    }

    /** A change of the schema is a transaction that nobody gives options. */
    @Test
    void aChangeOfTheSchemaWaitsNoLongerThanATransactionMay() {
        DatabaseOptions options = DatabaseOptions.builder()
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .transactionTimeout(Duration.ofMillis(20))
                .build();
        Database database = validated.inMemory(options, null);
        Table table = DatabaseTest.filled(database, 1, "name");
        IndexDefinition index = IndexDefinition.of("by_name", "account", "name");
        try (Session session = database.openSession()) {
            Transaction holder = session.begin();
            assertTrue(holder.fetch(table, table.newKey().add(0), table.newRecord()));
            assertThrows(TransactionTimeoutException.class, () -> database.createIndex(index));
            assertThrows(TransactionTimeoutException.class, () -> database.dropTable("account"));
            holder.commit();
        }
        assertFalse(DatabaseTest.ids(database, "by_amount").isEmpty());
    }

    /** What a setter takes a database opens with. */
    @ParameterizedTest
    @ValueSource(ints = {DatabaseOptions.LOG_SEGMENT_BYTES_MIN, DatabaseOptions.LOG_SEGMENT_BYTES_MAX})
    void aDatabaseOpensWithEverySizeOfLogFiles(int bytes, @TempDir Path directory) {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .logSegmentBytes(bytes)
                .extraForceDelay(Duration.ZERO)
                .checkpointLogBytes(DatabaseOptions.CHECKPOINT_LOG_BYTES_MAX)
                .build();
        Database database = validated.open(directory, options, null);
        assertTrue(database.tableNames().isEmpty());
    }

    @Test
    void valuesOutOfRangeAreRefused() {
        DatabaseOptions.Builder builder = DatabaseOptions.builder();
        assertRefused("openTransactionCountMax=0 min=1", () -> builder.openTransactionCountMax(0));
        assertRefused("poolBytes=1048575 min=1048576 max=1099510579200", () -> builder.poolBytes((1 << 20) - 1));
        assertTrue(DatabaseOptions.POOL_BYTES_MAX / PageLayout.PAGE_BYTES <= LatchTable.LATCHES_MAX);
        assertRefused("poolBytes=1099511627776", () -> builder.poolBytes(1L << 40));
        assertRefused("lockTimeout=PT0S min=PT0.001S", () -> builder.lockTimeout(Duration.ZERO));
        assertRefused("transactionUndoBytes=1048575", () -> builder.transactionUndoBytes((1 << 20) - 1));
        assertRefused("transactionUndoBytes=536870913", () -> builder.transactionUndoBytes((512L << 20) + 1));
        assertRefused("transactionLogBytes=1048575", () -> builder.transactionLogBytes((1 << 20) - 1));
        assertRefused("transactionLogBytes=1125899906842625", () -> builder.transactionLogBytes((1L << 50) + 1));
        assertRefused("transactionTimeout=PT-1S", () -> builder.transactionTimeout(Duration.ofSeconds(-1)));
        assertRefused("transactionTimeout= max=PT8760H", () -> builder.transactionTimeout(Duration.ofDays(366)));
        assertRefused("durability=null", () -> builder.durability(null));
        assertRefused("isolation=null", () -> builder.isolation(null));
        assertRefused("lockTimeout=null", () -> builder.lockTimeout(null));
        assertRefused("extraForceDelay=PT-0.001S", () -> builder.extraForceDelay(Duration.ofMillis(-1)));
        assertRefused("extraForceDelay=PT11S", () -> builder.extraForceDelay(Duration.ofSeconds(11)));
        assertRefused("snapshotBytesMax=65535 min=65536", () -> builder.snapshotBytesMax((1 << 16) - 1));
        assertRefused("checkpointLogBytes=1048575 min=1048576", () -> builder.checkpointLogBytes((1 << 20) - 1));
        assertRefused("checkpointLogBytes=1125899906842625", () -> builder.checkpointLogBytes((1L << 50) + 1));
        assertRefused(
                "checkpointInterval=PT0.009S min=PT0.01S", () -> builder.checkpointInterval(Duration.ofMillis(9)));
        assertRefused("tornPageProtection=null", () -> builder.tornPageProtection(null));
        assertRefused("checkpointInterval=null", () -> builder.checkpointInterval(null));
        assertRefused("checkpointSpread=0.91 min=0 max=0.9", () -> builder.checkpointSpread(0.91));
        assertRefused("checkpointSpread=-0.1", () -> builder.checkpointSpread(-0.1));
        assertRefused("checkpointSpread=NaN", () -> builder.checkpointSpread(Double.NaN));
        assertRefused("logSegmentBytes=1", () -> builder.logSegmentBytes(1));
        assertRefused("logSegmentBytes=1048577 1048576", () -> builder.logSegmentBytes((1 << 20) + 1));
        assertEquals(DatabaseOptions.defaults().toString(), builder.build().toString());
        assertRefused(
                "readOnly=true createIfMissing=true startEmptyAfterUncleanClose=false",
                () -> builder.readOnly(true).createIfMissing(true).build());
    }
}
