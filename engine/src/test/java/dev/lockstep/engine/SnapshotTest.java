package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.transaction.Snapshot;
import dev.lockstep.engine.type.ColumnType;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a transaction that reads a snapshot may do, sees, waits for and leaves behind. */
class SnapshotTest {
    private static final Path HOME = Path.of("/database");
    private static final int ROWS = 200;
    private static final int NAME = 1;
    private static final int AMOUNT = 2;

    /** As bytes, far more than a version takes otherwise. */
    private static final int LARGE_CHARS = 100_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;
    private Table table;

    @BeforeEach
    void open() {
        open(DatabaseOptions.builder().poolBytes(32 << 20).build());
    }

    private void open(DatabaseOptions options) {
        database = validated.inMemory(options, null);
        table = DatabaseTest.filled(database, ROWS, "name");
    }

    private static Transaction snapshot(Database of, Session session) {
        return session.begin(of.transactionOptions().readOnlySnapshot());
    }

    private Transaction snapshot(Session session) {
        return snapshot(database, session);
    }

    private Key id(int id) {
        return table.newKey().add(id);
    }

    private Long amount(Transaction transaction, int id) {
        Record row = table.newRecord();
        return transaction.fetch(table, id(id), row) ? row.getLong(AMOUNT) : null;
    }

    private void setAmount(Transaction transaction, int id, long amount) {
        Record row = table.newRecord();
        assertTrue(transaction.fetchForUpdate(table, id(id), row));
        row.setLong(AMOUNT, amount);
        assertTrue(transaction.update(table, row));
    }

    private void setName(Transaction transaction, int id, String name) {
        Record row = table.newRecord();
        assertTrue(transaction.fetchForUpdate(table, id(id), row));
        row.setString(NAME, name);
        assertTrue(transaction.update(table, row));
    }

    private List<Integer> ids(Transaction transaction, boolean backward) {
        List<Integer> ids = new ArrayList<>();
        Record row = table.newRecord();
        try (Cursor cursor = transaction.scan(table)) {
            if (backward) {
                cursor.backward();
            }
            while (cursor.next(row)) {
                ids.add(row.getInt(0));
            }
        }
        return ids;
    }

    private static List<Integer> idsTo(int end) {
        return IntStream.range(0, end).boxed().toList();
    }

    private long versionBytes() {
        return database.instance().transactions().snapshotStatistics().versionBytes();
    }

    private int openSnapshots() {
        return database.instance().transactions().snapshotStatistics().openSnapshots();
    }

    private void requireNoVersions() {
        assertNull(database.instance().transactions().versionsVolatile());
        assertEquals(0, openSnapshots());
    }

    @Test
    void doesNotSeeWhatOthersCommitLater() {
        try (Session reader = database.openSession()) {
            Transaction seen = snapshot(reader);
            database.run(transaction -> {
                setAmount(transaction, 1, 1_000);
                transaction.delete(table, id(2));
                DatabaseTest.put(transaction, table, table.newRecord(), ROWS, "new", 7);
            });
            assertEquals(1L, amount(seen, 1));
            assertEquals(2L, amount(seen, 2));
            assertNull(amount(seen, ROWS));
            assertEquals(idsTo(ROWS), ids(seen, false));
            assertEquals(idsTo(ROWS).reversed(), ids(seen, true));
            seen.commit();
            Transaction later = snapshot(reader);
            assertEquals(1_000L, amount(later, 1));
            assertNull(amount(later, 2));
            assertEquals(7L, amount(later, ROWS));
            later.commit();
        }
        requireNoVersions();
    }

    /** Also where the writer had changed everything before the first snapshot began: then only its undo knows. */
    @Test
    void neverWaitsForWhoHasChangedEverythingAndLocksNothing() {
        try (Session writing = database.openSession();
                Session reader = database.openSession()) {
            Transaction writer = writing.begin();
            for (int id = 0; id < ROWS; id += 2) {
                setAmount(writer, id, -1);
                setAmount(writer, id, -2);
                transactionDelete(writer, id + 1);
            }
            DatabaseTest.put(writer, table, table.newRecord(), ROWS, "new", 7);
            long waits = database.statistics().lockWaits();
            long locks = database.instance().locks().statistics().locks();
            Transaction seen = snapshot(reader);
            requireUntouched(seen);
            for (int id = 0; id < ROWS; id += 4) {
                setAmount(writer, id, -3);
                transactionDelete(writer, id + 2);
                DatabaseTest.put(writer, table, table.newRecord(), id + 1, "again", 1);
            }
            requireUntouched(seen);
            assertEquals(waits, database.statistics().lockWaits());
            assertEquals(0, reader.core().context().lockOwner().heldCount());
            assertTrue(database.instance().locks().statistics().locks() >= locks);
            writer.commit();
            requireUntouched(seen);
            seen.rollback();
        }
        requireNoVersions();
    }

    private void transactionDelete(Transaction transaction, int id) {
        assertTrue(transaction.delete(table, id(id)));
    }

    private void requireUntouched(Transaction seen) {
        assertEquals(idsTo(ROWS), ids(seen, false));
        assertEquals(idsTo(ROWS).reversed(), ids(seen, true));
        List<Long> amounts = new ArrayList<>();
        Record row = table.newRecord();
        try (Cursor cursor = seen.scan(table, "by_amount")) {
            while (cursor.next(row)) {
                amounts.add(row.getLong(AMOUNT));
            }
        }
        assertEquals(idsTo(ROWS).stream().map(Integer::longValue).toList(), amounts);
        for (int id = 0; id < ROWS; id++) {
            assertEquals(id, amount(seen, id));
        }
    }

    @Test
    void refusesWhatChangesOrLocks() {
        Record row = table.newRecord();
        RowBatch batch = table.newBatch(1);
        batch.addKey().add(1);
        RangeBatch ranges = table.newRangeBatch(1, 1);
        ranges.addRange().add(1);
        try (Session reader = database.openSession()) {
            Transaction seen = snapshot(reader);
            TeamFetch team = table.newTeamFetch(1);
            team.add(seen, table.newRecord()).add(1);
            List<Executable> refused = List.of(
                    () -> DatabaseTest.put(seen, table, row, ROWS, "new", 1),
                    () -> seen.delete(table, id(1)),
                    () -> seen.fetchForUpdate(table, id(1), row),
                    () -> seen.fetchExclusive(table, id(1), row),
                    () -> seen.fetchForUpdate(table, batch),
                    () -> seen.fetchExclusive(table, batch),
                    () -> seen.fetchForUpdate(table, ranges),
                    () -> seen.fetchExclusive(table, ranges),
                    team::fetchExclusive,
                    () -> seen.lockShared(table),
                    () -> next(seen.scan(table).forUpdate(), row),
                    () -> next(seen.scan(table).exclusive(), row));
            requireRefused(refused);
            assertTrue(seen.fetch(table, id(1), row));
            row.setLong(AMOUNT, 5);
            assertEquals(1, seen.fetch(table, batch));
            batch.record(0).setLong(AMOUNT, 5);
            RowBatch added = table.newBatch(1);
            added.addRow().copyFrom(row).setInt(0, ROWS);
            requireRefused(List.of(
                    () -> seen.update(table, row),
                    () -> seen.delete(table, row),
                    () -> seen.update(table, batch),
                    () -> seen.delete(table, batch),
                    () -> seen.insert(table, added)));
            Savepoint savepoint = seen.savepoint();
            seen.rollbackTo(savepoint);
            assertEquals(idsTo(ROWS), ids(seen, false));
            seen.commit();
        }
    }

    private static void requireRefused(List<Executable> calls) {
        for (int i = 0; i < calls.size(); i++) {
            assertThrows(ReadOnlyException.class, calls.get(i), "call " + i);
        }
    }

    private static void next(Cursor scan, Record row) {
        try (scan) {
            scan.next(row);
        }
    }

    @Test
    void aRowOfASnapshotIsUpdatedByItsKey() {
        Record row = table.newRecord();
        try (Session reader = database.openSession()) {
            Transaction seen = snapshot(reader);
            database.run(transaction -> setAmount(transaction, 1, 50));
            assertTrue(seen.fetch(table, id(1), row));
            seen.commit();
        }
        row.setLong(AMOUNT, 60);
        database.run(transaction -> assertTrue(transaction.update(table, row)));
        long stored = database.call(transaction -> amount(transaction, 1));
        assertEquals(60, stored);
    }

    @Test
    void keepsLargeValuesWhosePagesAreUsedAgain() {
        String large = "l".repeat(100_000);
        database.run(transaction -> setName(transaction, 1, large));
        try (Session reader = database.openSession();
                Session writing = database.openSession()) {
            Transaction writer = writing.begin();
            setName(writer, 1, "m".repeat(90_000));
            Transaction seen = snapshot(reader);
            Record row = table.newRecord();
            assertTrue(seen.fetch(table, id(1), row));
            assertEquals(large, row.getString(NAME));
            writer.commit();
            for (int id = 2; id < 6; id++) {
                int changed = id;
                database.run(transaction -> setName(transaction, changed, "n".repeat(100_000)));
            }
            database.run(transaction -> transactionDelete(transaction, 1));
            assertTrue(seen.fetch(table, id(1), row));
            assertEquals(large, row.getString(NAME));
            try (Cursor cursor = seen.scan(table).from(id(1)).to(id(2))) {
                assertTrue(cursor.next(row));
                assertEquals(large, row.getString(NAME));
                assertTrue(cursor.next(row));
                assertEquals("name", row.getString(NAME));
                assertFalse(cursor.next(row));
            }
            seen.commit();
        }
    }

    /** A version that no snapshot needs any more takes its value along, also where that had to be kept. */
    @Test
    void largeValuesOfVersionsThatAreDroppedCountNoLonger() {
        open(DatabaseOptions.builder()
                .poolBytes(32 << 20)
                .snapshotBytesMax(1 << 20)
                .build());
        String first = "a".repeat(LARGE_CHARS);
        database.run(transaction -> setName(transaction, 1, first));
        try (Session reader = database.openSession()) {
            Transaction seen = snapshot(reader);
            for (int update = 0; update < 30; update++) {
                String next = Integer.toString(update % 10).repeat(LARGE_CHARS);
                database.run(transaction -> setName(transaction, 1, next));
                assertTrue(versionBytes() >= LARGE_CHARS, "versionBytes=" + versionBytes());
                assertTrue(versionBytes() < 4 * LARGE_CHARS, "versionBytes=" + versionBytes());
            }
            Record row = table.newRecord();
            assertTrue(seen.fetch(table, id(1), row));
            assertEquals(first, row.getString(NAME));
            seen.commit();
        }
        requireNoVersions();
    }

    /** The older snapshot needs a value that only the writer's undo knows, and the younger one a version. */
    @Test
    void largeValuesGoWithTheSnapshotsThatNeedThem() {
        String second = "b".repeat(LARGE_CHARS);
        database.run(transaction -> setName(transaction, 1, "a".repeat(LARGE_CHARS)));
        database.run(transaction -> setName(transaction, 2, "a".repeat(LARGE_CHARS)));
        try (Session writing = database.openSession();
                Session first = database.openSession();
                Session last = database.openSession()) {
            Transaction writer = writing.begin();
            setName(writer, 1, second);
            Transaction older = snapshot(first);
            setName(writer, 2, second);
            writer.commit();
            Transaction younger = snapshot(last);
            long bytesBefore = versionBytes();
            assertTrue(bytesBefore >= 2 * LARGE_CHARS, "versionBytes=" + bytesBefore);
            database.run(transaction -> setName(transaction, 1, "c"));
            assertTrue(versionBytes() >= 3 * LARGE_CHARS, "versionBytes=" + versionBytes());
            older.commit();
            long bytesLeft = versionBytes();
            assertTrue(bytesLeft >= LARGE_CHARS && bytesLeft < 2 * LARGE_CHARS, "versionBytes=" + bytesLeft);
            Record row = table.newRecord();
            assertTrue(younger.fetch(table, id(1), row));
            assertEquals(second, row.getString(NAME));
            younger.commit();
            assertEquals(0, versionBytes());
        }
        requireNoVersions();
    }

    @Test
    void theOldestIsEndedWhereVersionsTakeTooMuch() {
        open(DatabaseOptions.builder()
                .poolBytes(32 << 20)
                .snapshotBytesMax(DatabaseOptions.SNAPSHOT_BYTES_MIN)
                .build());
        try (Session first = database.openSession();
                Session second = database.openSession()) {
            Transaction older = snapshot(first);
            database.run(transaction -> {
                for (int id = 0; id < ROWS / 2; id++) {
                    setName(transaction, id, "first change ".repeat(20));
                }
            });
            assertTrue(versionBytes() > 0);
            Transaction younger = snapshot(second);
            for (int id = 0; openSnapshots() == 2; id++) {
                assertTrue(id < ROWS, "versionBytes=" + versionBytes());
                int changed = id;
                database.run(transaction -> setName(transaction, changed, "second change ".repeat(20)));
            }
            assertTrue(versionBytes() <= DatabaseOptions.SNAPSHOT_BYTES_MIN, "versionBytes=" + versionBytes());
            assertThrows(SnapshotTooOldException.class, () -> amount(older, 1));
            assertThrows(TransactionStateException.class, () -> amount(older, 1));
            older.rollback();
            Record row = table.newRecord();
            assertTrue(younger.fetch(table, id(1), row));
            assertEquals("first change ".repeat(20), row.getString(NAME));
            younger.commit();
        }
        requireNoVersions();
    }

    /** Its snapshot is not the others' failure: it leaves the team, and is told by a fetch of its own. */
    @Test
    void aTeamGoesOnWithoutTheOneThatWasEnded() {
        open(DatabaseOptions.builder()
                .poolBytes(32 << 20)
                .snapshotBytesMax(DatabaseOptions.SNAPSHOT_BYTES_MIN)
                .build());
        database.run(transaction -> {
            for (int id = 0; id < ROWS; id++) {
                setName(transaction, id, "old name ".repeat(100));
            }
        });
        try (Session reading = database.openSession();
                Session writing = database.openSession()) {
            Transaction ended = snapshot(reading);
            Transaction writer = writing.begin();
            setName(writer, ROWS - 1, "kept");
            for (int id = 0; openSnapshots() == 1; id++) {
                assertTrue(id < ROWS - 1, "versionBytes=" + versionBytes());
                int changed = id;
                database.run(transaction -> setName(transaction, changed, "new"));
            }
            TeamFetch team = table.newTeamFetch(2);
            team.add(ended, table.newRecord()).add(1);
            team.add(writer, table.newRecord()).add(ROWS - 2);
            assertEquals(1, team.fetch());
            assertTrue(team.left(0));
            assertFalse(team.left(1));
            assertTrue(team.found(1));
            writer.commit();
            assertThrows(SnapshotTooOldException.class, () -> amount(ended, 1));
            ended.rollback();
        }
        database.run(transaction -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetch(table, id(ROWS - 1), row));
            assertEquals("kept", row.getString(NAME));
        });
        requireNoVersions();
    }

    @Test
    void whatWasCreatedOrDroppedSinceIsNotRead() {
        Table other = database.createTable(TableDefinition.named("other")
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build());
        try (Session reader = database.openSession()) {
            Transaction seen = snapshot(reader);
            Table newer = database.createTable(TableDefinition.named("newer")
                    .column("id", ColumnType.int32())
                    .primaryKey("id")
                    .build());
            database.createIndex(IndexDefinition.of("by_name", "account", "name"));
            database.dropTable("other");
            assertThrows(
                    SchemaException.class,
                    () -> seen.fetch(newer, newer.newKey().add(1), newer.newRecord()));
            assertThrows(SchemaException.class, () -> seen.scan(table, "by_name"));
            assertThrows(SchemaException.class, () -> seen.scan(other));
            assertEquals(idsTo(ROWS), ids(seen, false));
            try (Cursor cursor = seen.scan(table, "by_amount")) {
                Record row = table.newRecord();
                assertTrue(cursor.next(row));
                database.dropIndex("account", "by_amount");
                assertThrows(SchemaException.class, () -> {
                    while (cursor.next(row)) {
                        assertEquals(0, row.getInt(0) / ROWS);
                    }
                });
            }
            seen.commit();
            Transaction later = snapshot(reader);
            try (Cursor cursor = later.scan(table, "by_name")) {
                assertTrue(cursor.next(table.newRecord()));
            }
            later.commit();
        }
    }

    @Test
    void aForgottenSnapshotIsFoundAndEnded() throws InterruptedException {
        Session left = database.openSession();
        snapshot(left);
        assertThrows(TransactionsRunningException.class, database::validate);
        assertThrows(LeakedHandleException.class, left::close);
        requireNoVersions();
        Worker worker = new Worker(() -> snapshot(database.openSession()));
        worker.join();
        assertNull(worker.failure());
        assertEquals(1, openSnapshots());
        database.close();
        requireNoVersions();
    }

    @Test
    void versionsGoWithTheLastSnapshotWhileAWriterGoesOn() {
        try (Session writing = database.openSession();
                Session first = database.openSession();
                Session second = database.openSession()) {
            Transaction writer = writing.begin();
            setAmount(writer, 1, -1);
            Transaction one = snapshot(first);
            setAmount(writer, 2, -2);
            assertTrue(versionBytes() > 0);
            one.commit();
            requireNoVersions();
            setAmount(writer, 3, -3);
            Transaction two = snapshot(second);
            setAmount(writer, 4, -4);
            assertEquals(
                    List.of(1L, 2L, 3L, 4L), List.of(amount(two, 1), amount(two, 2), amount(two, 3), amount(two, 4)));
            writer.rollback();
            assertEquals(
                    List.of(1L, 2L, 3L, 4L), List.of(amount(two, 1), amount(two, 2), amount(two, 3), amount(two, 4)));
            two.commit();
        }
        requireNoVersions();
    }

    /** As where memory is full: the next transaction of the session sees and changes what is there now. */
    @Test
    void afterACloseThatFailsTheSessionReadsNoSnapshot() throws ReflectiveOperationException {
        try (Session session = database.openSession()) {
            Transaction seen = snapshot(session);
            assertEquals(1L, amount(seen, 1));
            Snapshot snapshot = (Snapshot) valueOf(valueOf(session.core(), "reading"), "snapshot");
            Object versions = valueOf(snapshot, "versions");
            field(snapshot, "versions").set(snapshot, null);
            assertThrows(NullPointerException.class, seen::commit);
            field(snapshot, "versions").set(snapshot, versions);
            database.run(transaction -> setAmount(transaction, 1, 1_000));
            Transaction next = session.begin();
            assertEquals(1_000L, amount(next, 1));
            setAmount(next, 1, 2_000);
            next.commit();
            snapshot.close();
        }
        database.run(transaction -> assertEquals(2_000L, amount(transaction, 1)));
        requireNoVersions();
    }

    private static Object valueOf(Object owner, String name) throws ReflectiveOperationException {
        return field(owner, name).get(owner);
    }

    private static Field field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** Locks are released before a commit is on disk. A snapshot shows what it wrote only once it cannot be lost. */
    @Test
    void beginsWithWhatIsOnDisk() {
        FaultyStorage disk = new FaultyStorage(3);
        HeldStorage storage = new HeldStorage(disk);
        LogOptions log = LogOptions.sync().withClock(storage.clock());
        Database durable = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, log);
        Table accounts = durable.createTable(DatabaseTest.accounts());
        PendingCommit answer = durable.newPendingCommit();
        storage.holdLogForces();
        try (Session session = durable.openSession();
                Session impatient = durable.openSession()) {
            Transaction writer = session.begin();
            DatabaseTest.put(writer, accounts, accounts.newRecord(), 1, "early", 1);
            writer.commit(answer);
            Transaction early = impatient.begin(
                    durable.transactionOptions().withDurability(Durability.NONE).readOnlySnapshot());
            assertTrue(early.fetch(accounts, accounts.newKey().add(1), accounts.newRecord()));
            early.commit();
        }
        assertFalse(isThere(durable, accounts));
        storage.release();
        answer.await();
        assertTrue(isThere(durable, accounts));
        durable.abandon();
        disk.crash();
        Database again =
                validated.track(Database.open(disk, HOME, ValidatedDatabase.SMALLEST, null, LogOptions.sync()));
        assertTrue(isThere(again, again.table("account")));
    }

    private static boolean isThere(Database database, Table table) {
        try (Session session = database.openSession()) {
            Transaction seen = snapshot(database, session);
            boolean found = seen.fetch(table, table.newKey().add(1), table.newRecord());
            seen.commit();
            return found;
        }
    }

    /**
     * A transaction takes its only change back before any snapshot is there, and ends; what another one then does in
     * the same session is not taken for its own.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoTookEverythingBackIsNotMistakenForTheNextOfItsSession(boolean byInsert) {
        try (Session first = database.openSession();
                Session second = database.openSession();
                Session reader = database.openSession()) {
            int id = byInsert ? ROWS : 1;
            Long before = byInsert ? null : 1L;
            Transaction undone = first.begin();
            Savepoint savepoint = undone.savepoint();
            if (byInsert) {
                DatabaseTest.put(undone, table, table.newRecord(), id, "new", 5);
            } else {
                setAmount(undone, id, 11);
            }
            undone.rollbackTo(savepoint);
            Transaction seen = snapshot(reader);
            undone.commit();
            Transaction writer = second.begin();
            if (byInsert) {
                DatabaseTest.put(writer, table, table.newRecord(), id, "other", 20);
            } else {
                setAmount(writer, id, 20);
            }
            writer.commit();
            Transaction next = first.begin();
            setAmount(next, id, 30);
            assertEquals(before, amount(seen, id));
            assertEquals(idsTo(ROWS), ids(seen, false));
            next.commit();
            assertEquals(before, amount(seen, id));
            seen.commit();
        }
        requireNoVersions();
    }
}
