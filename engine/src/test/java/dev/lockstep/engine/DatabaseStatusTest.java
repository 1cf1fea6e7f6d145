package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.instance.FixedPlaces;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.management.DatabaseManagement;
import dev.lockstep.engine.type.ColumnType;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** One holder and one who waits for it, as API, JMX and JFR show them; and what log is kept, and why. */
@Isolated("JFR asks every database of the JVM, and each answers with events")
class DatabaseStatusTest {
    private static final long POLL_NANOS = 100_000;
    private static final long ID = 7;

    @TempDir
    Path directory;

    @RegisterExtension
    final ValidatedDatabase databases = new ValidatedDatabase();

    private Database database;
    private Table table;

    @BeforeEach
    void open() {
        database = databases.open(directory.resolve("database"));
        table = database.createTable(TableDefinition.named("account")
                .column("id", ColumnType.int64())
                .column("cents", ColumnType.int64())
                .primaryKey("id")
                .build());
        database.run(transaction -> insert(transaction, ID));
    }

    private void insert(Transaction transaction, long id) {
        Record row = table.newRecord();
        row.setLong(0, id);
        row.setLong(1, 1);
        transaction.insert(table, row);
    }

    private boolean lock(Transaction transaction) {
        return transaction.fetchExclusive(table, table.newKey().add(ID), table.newRecord());
    }

    /** Something to do while one thread holds a lock and another waits for it. */
    private interface Beside {
        void run(DatabaseStatus status) throws Exception;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("the test was given up", e);
        }
    }

    private void whileOneWaits(Beside beside) throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        Thread holder = Thread.ofPlatform()
                .name("holder")
                .start(() -> database.run(transaction -> {
                    insert(transaction, ID + 1);
                    lock(transaction);
                    held.countDown();
                    await(seen);
                }));
        held.await();
        Thread waiter = Thread.ofPlatform().name("waiter").start(() -> database.run(this::lock));
        try {
            DatabaseStatus status = database.status();
            while (status.locks().stream().allMatch(lock -> lock.waiters().isEmpty())) {
                LockSupport.parkNanos(POLL_NANOS);
                status = database.status();
            }
            beside.run(status);
        } finally {
            seen.countDown();
            holder.join();
            waiter.join();
        }
    }

    @Test
    void showsWhoHoldsAndWhoWaits() throws Exception {
        whileOneWaits(status -> {
            List<DatabaseStatus.OpenTransaction> open = status.transactions();
            assertEquals(
                    List.of("holder", "waiter"),
                    open.stream().map(t -> t.thread()).toList());
            DatabaseStatus.OpenTransaction holder = open.get(0);
            DatabaseStatus.OpenTransaction waiter = open.get(1);
            assertTrue(holder.id() > 0 && holder.undoBytes() > 0 && holder.firstLsn() > 0, holder::toString);
            assertTrue(holder.openNanos() >= waiter.openNanos() && holder.lockCount() >= 3, holder::toString);
            assertEquals(0, waiter.id());
            assertEquals(DatabaseStatus.NONE, waiter.firstLsn());
            assertEquals(Isolation.SERIALIZABLE, waiter.isolation());
            assertFalse(waiter.rollbackOnly());
            DatabaseStatus.Lock contended = status.locks().getFirst();
            assertEquals(waiter.waitsFor(), contended.name());
            assertTrue(contended.name().startsWith("key:"), contended::toString);
            assertEquals(List.of(new DatabaseStatus.LockRequest(holder.owner(), "X")), contended.holders());
            assertEquals(List.of(new DatabaseStatus.LockRequest(waiter.owner(), "X")), contended.waiters());
            DatabaseStatus.Lock ofTable = status.locks().stream()
                    .filter(lock -> lock.table().equals("account"))
                    .findFirst()
                    .orElseThrow();
            assertEquals(2, ofTable.holders().size());
            assertTrue(status.locksComplete());
            assertEquals(holder.firstLsn(), status.log().oldestTransactionLsn());
        });
        DatabaseStatus after = database.status();
        assertEquals(List.of(), after.transactions());
        assertEquals(List.of(), after.locks());
    }

    @Test
    void moreLocksThanAreListedAreSaidToBeMore() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        CountDownLatch events = new CountDownLatch(1);
        try (DatabaseManagement shown = DatabaseManagement.register(database, "many locks");
                RecordingStream stream = new RecordingStream()) {
            ObjectName name = new ObjectName(shown.objectName());
            stream.enable("dev.lockstep.DatabaseState").withPeriod(Duration.ofMillis(20));
            stream.onEvent("dev.lockstep.DatabaseState", once(events, event -> !event.getBoolean("locksComplete")));
            stream.startAsync();
            database.run(transaction -> {
                for (int id = 100; id < 100 + DatabaseStatus.LOCK_REQUESTS_MAX; id++) {
                    insert(transaction, id);
                }
                DatabaseStatus status = database.status();
                assertFalse(status.locksComplete());
                assertEquals(DatabaseStatus.LOCK_REQUESTS_MAX, status.locks().size());
                assertEquals(false, attribute(server, name, "LocksComplete"));
                await(events);
            });
            assertTrue(database.status().locksComplete());
            assertEquals(true, attribute(server, name, "LocksComplete"));
        }
    }

    @Test
    void saysWhyLogIsKept() {
        database.checkpoint();
        assertEquals(
                DatabaseStatus.LogKeptFor.NEXT_CHECKPOINT,
                database.status().log().keptFor());
        assertEquals(DatabaseStatus.NONE, database.status().log().oldestDirtyPageLsn());
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            insert(transaction, 1);
            assertTrue(database.status().log().oldestDirtyPageLsn() > 0);
            database.checkpoint();
            DatabaseStatus.LogStatus log = database.status().log();
            assertEquals(DatabaseStatus.LogKeptFor.TRANSACTION, log.keptFor());
            assertEquals(log.keptFromLsn(), log.oldestTransactionLsn());
            assertTrue(log.keptBytes() > 0 && log.durableLsn() <= log.tailLsn(), log::toString);
            transaction.commit();
        }
        long before = database.status().checkpoint().completedCount();
        database.checkpoint();
        DatabaseStatus.CheckpointStatus checkpoint = database.status().checkpoint();
        assertEquals(before + 1, checkpoint.completedCount());
        assertFalse(checkpoint.running());
        assertTrue(checkpoint.bytesUntilNext() > 0, checkpoint::toString);
        assertTrue(database.status().pool().hitRatio() > 0);
    }

    /** More pages than a batch has: when the second batch is held back, the oldest changes are in the file. */
    @Test
    void showsHowFarACheckpointIs() throws InterruptedException {
        HeldStorage disk = new HeldStorage(new FaultyStorage(1));
        Database held = databases.track(
                Database.open(disk, Path.of("/held"), ValidatedDatabase.USUAL, null, LogOptions.sync()));
        DatabaseTest.filled(held, 3_000, "n".repeat(1_000));
        long before = held.status().checkpoint().completedCount();
        CountDownLatch secondBatch = disk.holdBatch(2);
        Thread checkpointing = Thread.ofPlatform().name("checkpointing").start(() -> {
            try {
                held.checkpoint();
            } finally {
                // Without a second batch the test fails, and does not hang.
                secondBatch.countDown();
            }
        });
        try {
            secondBatch.await();
            DatabaseStatus.CheckpointStatus running = held.status().checkpoint();
            assertTrue(running.running() && running.progress() > 0 && running.progress() < 1, running::toString);
            assertEquals(before, running.completedCount());
            assertEquals(0, running.bytesUntilNext());
        } finally {
            disk.release();
            checkpointing.join();
        }
        DatabaseStatus.CheckpointStatus ended = held.status().checkpoint();
        assertFalse(ended.running());
        assertEquals(0.0, ended.progress());
        assertEquals(before + 1, ended.completedCount());
    }

    /** Checkpoints go on meanwhile, and recovery would begin with the last; but no log is given up. */
    @Test
    void aBackupKeepsLog() {
        AtomicInteger looks = new AtomicInteger();
        database.backup(directory.resolve("copy"), (stage, done, total) -> {
            DatabaseStatus.LogStatus held = database.status().log();
            assertEquals(DatabaseStatus.LogKeptFor.BACKUP, held.keptFor(), () -> stage + " " + held);
            if (looks.getAndIncrement() == 0) {
                database.run(transaction -> insert(transaction, ID + 1));
                database.checkpoint();
                DatabaseStatus.LogStatus after = database.status().log();
                assertEquals(DatabaseStatus.LogKeptFor.BACKUP, after.keptFor());
                assertEquals(held.keptFromLsn(), after.keptFromLsn());
                assertTrue(after.keptBytes() > held.keptBytes(), after::toString);
            }
        });
        assertTrue(looks.get() > 0);
        database.checkpoint();
        assertEquals(
                DatabaseStatus.LogKeptFor.NEXT_CHECKPOINT,
                database.status().log().keptFor());
    }

    /** The opening reads the catalog, and what was written last; the walk reads the table behind the catalog. */
    @Test
    void showsThatLostPagesAreLookedFor() {
        HeldStorage disk = new HeldStorage(new FaultyStorage(1));
        Path home = Path.of("/killed");
        DatabaseOptions options =
                DatabaseOptions.builder().createIfMissing(true).build();
        Database killed = Database.open(disk, home, options, null, LogOptions.sync());
        DatabaseTest.filled(killed, 10, "name");
        assertFalse(killed.status().recovery().looksForLostPages());
        killed.checkpoint();
        killed.createTable(TableDefinition.named("written_last")
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build());
        killed.checkpoint();
        killed.abandon();
        disk.holdReadsOf(FixedPlaces.CATALOG_ROOT_PAGE_ID + 1);
        Database again = Database.open(disk, home, options, null, LogOptions.sync());
        DatabaseStatus.RecoveryStatus recovery = again.status().recovery();
        assertTrue(recovery.wasNeeded() && recovery.looksForLostPages(), recovery::toString);
        disk.release();
        again.validate();
        assertFalse(again.status().recovery().looksForLostPages());
        again.close();
    }

    @Test
    void showsTheOldestSnapshot() {
        assertEquals(
                new DatabaseStatus.SnapshotStatus(0, 0, 0), database.status().snapshots());
        database.run(snapshot(), reader -> {
            DatabaseStatus.SnapshotStatus seen = database.status().snapshots();
            assertEquals(1, seen.openCount());
            assertTrue(seen.oldestNanos() > 0, seen::toString);
        });
        assertEquals(0, database.status().snapshots().openCount());
    }

    @Test
    void aDatabaseInMemoryHasNoLogAndNoCheckpoints() {
        Database memory = databases.inMemory();
        assertEquals(DatabaseStatus.LogKeptFor.NO_LOG, memory.status().log().keptFor());
        assertEquals(DatabaseStatus.NONE, memory.status().checkpoint().bytesUntilNext());
        memory.close();
        assertThrows(DatabaseClosedException.class, memory::status);
    }

    @Test
    void aSecondCloseTakesNoOtherDatabaseOut() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        DatabaseManagement first = DatabaseManagement.register(database, "closed twice");
        first.close();
        Database other = databases.inMemory();
        try (DatabaseManagement second = DatabaseManagement.register(other, "closed twice")) {
            first.close();
            assertTrue(server.isRegistered(new ObjectName(second.objectName())));
        }
    }

    @Test
    void jmxShowsTheSameToWhoeverAskedForIt() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("dev.lockstep:type=Database,name=\"my accounts\"");
        try (DatabaseManagement shown = DatabaseManagement.register(database, "my accounts")) {
            assertEquals(name.toString(), shown.objectName());
            assertThrows(InvalidOptionException.class, () -> DatabaseManagement.register(database, "my accounts"));
            assertTrue(JMX.isMXBeanInterface(dev.lockstep.engine.management.DatabaseMXBean.class));
            whileOneWaits(status -> {
                CompositeData[] open = (CompositeData[]) server.getAttribute(name, "Transactions");
                assertEquals("holder", open[0].get("thread"));
                assertEquals("SERIALIZABLE", open[0].get("isolation"));
                CompositeData[] locks = (CompositeData[]) server.getAttribute(name, "ContendedLocks");
                assertEquals(status.locks().getFirst().name(), locks[0].get("name"));
                assertEquals(1, ((CompositeData[]) locks[0].get("waiters")).length);
            });
            assertEquals("NEXT_CHECKPOINT", keptFor(server, name));
            database.run(holder -> {
                lock(holder);
                assertEquals(2, ((CompositeData[]) attribute(server, name, "Locks")).length);
                assertEquals(0, ((CompositeData[]) attribute(server, name, "ContendedLocks")).length);
            });
            database.run(snapshot(), reader -> {
                CompositeData snapshots = (CompositeData) attribute(server, name, "Snapshots");
                assertEquals(1, snapshots.get("openCount"));
                assertTrue((long) snapshots.get("oldestNanos") > 0);
            });
            CompositeData checkpoint = (CompositeData) server.getAttribute(name, "Checkpoint");
            assertEquals(0.0, checkpoint.get("progress"));
            assertEquals(database.status().checkpoint().completedCount(), checkpoint.get("completedCount"));
            CompositeData pool = (CompositeData) server.getAttribute(name, "Pool");
            assertTrue((double) pool.get("hitRatio") > 0);
        }
        assertFalse(server.isRegistered(name));
    }

    private static TransactionOptions snapshot() {
        return TransactionOptions.of(DatabaseOptions.defaults()).readOnlySnapshot();
    }

    private static Object attribute(MBeanServer server, ObjectName name, String attribute) {
        try {
            return server.getAttribute(name, attribute);
        } catch (JMException e) {
            throw new IllegalStateException(attribute, e);
        }
    }

    private Object keptFor(MBeanServer server, ObjectName name) throws Exception {
        database.checkpoint();
        return ((CompositeData) server.getAttribute(name, "Log")).get("keptFor");
    }

    @Test
    void jfrShowsTheSame() throws Exception {
        CountDownLatch events = new CountDownLatch(4);
        CountDownLatch snapshots = new CountDownLatch(1);
        CountDownLatch checkpoint = new CountDownLatch(1);
        try (RecordingStream stream = new RecordingStream()) {
            stream.enable("dev.lockstep.OpenTransaction").withPeriod(Duration.ofMillis(20));
            stream.enable("dev.lockstep.ContendedLock").withPeriod(Duration.ofMillis(20));
            stream.enable("dev.lockstep.HeldLock").withPeriod(Duration.ofMillis(20));
            stream.enable("dev.lockstep.DatabaseState").withPeriod(Duration.ofMillis(20));
            stream.enable("dev.lockstep.Checkpoint");
            stream.onEvent("dev.lockstep.OpenTransaction", once(events, event -> "waiter"
                    .equals(event.getString("transactionThread"))));
            stream.onEvent("dev.lockstep.ContendedLock", once(events, event -> event.getString("waiters")
                    .contains("mode=X")));
            stream.onEvent(
                    "dev.lockstep.HeldLock",
                    once(
                            events,
                            event -> event.getString("table").equals("account")
                                    && event.getString("holders").contains("mode=I")
                                    && event.getString("waiters").equals("[]")));
            stream.onEvent(
                    "dev.lockstep.DatabaseState",
                    once(
                            events,
                            event -> event.getInt("openTransactions") == 2
                                    && event.getBoolean("locksComplete")
                                    && event.getLong("logKept") > 0
                                    && event.getString("logKeptFor").equals("TRANSACTION")
                                    && event.getDouble("checkpointProgress") == 0
                                    && event.getDouble("poolHitRatio") > 0));
            stream.onEvent(
                    "dev.lockstep.DatabaseState",
                    once(
                            snapshots,
                            event -> event.getInt("openSnapshots") == 1 && event.getLong("oldestSnapshot") > 0));
            stream.onEvent("dev.lockstep.Checkpoint", event -> checkpoint.countDown());
            stream.startAsync();
            database.checkpoint();
            whileOneWaits(status -> {
                database.checkpoint();
                events.await();
            });
            database.run(snapshot(), reader -> await(snapshots));
            database.checkpoint();
            checkpoint.await();
        }
    }

    private static java.util.function.Consumer<RecordedEvent> once(
            CountDownLatch latch, java.util.function.Predicate<RecordedEvent> wanted) {
        boolean[] seen = new boolean[1];
        return event -> {
            if (!seen[0] && wanted.test(event)) {
                seen[0] = true;
                latch.countDown();
            }
        };
    }
}
