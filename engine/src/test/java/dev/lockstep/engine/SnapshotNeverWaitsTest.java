package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Snapshots that start at the last durable commit, beside a disk that does not answer. */
class SnapshotNeverWaitsTest {
    private static final Path HOME = Path.of("/database");
    private static final int ROWS = 50;
    private static final int NAME = 1;
    private static final int AMOUNT = 2;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private HeldStorage disk;
    private Database database;
    private Table table;
    private PendingCommit answer;

    @BeforeEach
    void open() {
        open(DatabaseOptions.SNAPSHOT_BYTES_DEFAULT);
    }

    private void open(long snapshotBytesMax) {
        open(Durability.SYNC, LogOptions.sync(), snapshotBytesMax);
    }

    private void open(Durability durability, LogOptions log, long snapshotBytesMax) {
        disk = new HeldStorage(new FaultyStorage(3));
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .durability(durability)
                .poolBytes(32 << 20)
                .snapshotBytesMax(snapshotBytesMax)
                .build();
        database = validated.track(Database.open(disk, HOME, options, null, log.withClock(disk.clock())));
        table = DatabaseTest.filled(database, ROWS, "name");
        answer = database.newPendingCommit();
        database.checkpoint();
        disk.holdLogForces();
    }

    @AfterEach
    void release() {
        disk.release();
        answer.await();
    }

    private Transaction snapshot(Session session) {
        return session.begin(database.transactionOptions().readOnlySnapshot());
    }

    private Key id(int id) {
        return table.newKey().add(id);
    }

    private Record row(Transaction transaction, int id) {
        Record row = table.newRecord();
        return transaction.fetch(table, id(id), row) ? row : null;
    }

    /** Commits without waiting for the disk. */
    private void commit(Session session, int id, String name, long amount) {
        Transaction transaction = session.begin();
        Record row = table.newRecord();
        assertTrue(transaction.fetchForUpdate(table, id(id), row));
        row.setString(NAME, name);
        row.setLong(AMOUNT, amount);
        assertTrue(transaction.update(table, row));
        transaction.commit(answer);
    }

    private void delete(Session session, int id) {
        Transaction transaction = session.begin();
        assertTrue(transaction.delete(table, id(id)));
        transaction.commit(answer);
    }

    private void requireUntouched() {
        try (Session session = database.openSession()) {
            Transaction seen = snapshot(session);
            int count = 0;
            Record row = table.newRecord();
            try (Cursor cursor = seen.scan(table)) {
                while (cursor.next(row)) {
                    assertEquals(count, row.getInt(0));
                    assertEquals(count, row.getLong(AMOUNT));
                    assertEquals("name", row.getString(NAME));
                    assertEquals("name", row(seen, count).getString(NAME));
                    count++;
                }
            }
            assertEquals(ROWS, count);
            seen.commit();
        }
    }

    @Test
    void startsAtTheLastDurableCommitAtOnce() {
        requireUntouched();
        try (Session writer = database.openSession();
                Session again = database.openSession()) {
            commit(writer, 1, "once", 100);
            commit(again, 1, "twice", 200);
            commit(writer, 1, "three times", 300);
            delete(again, 2);
            Transaction inserting = writer.begin();
            DatabaseTest.put(inserting, table, table.newRecord(), 2, "again", 7);
            DatabaseTest.put(inserting, table, table.newRecord(), ROWS, "new", 7);
            inserting.commit(answer);
            commit(again, 2, "and again", 8);
            Transaction takenBack = writer.begin();
            assertTrue(takenBack.delete(table, id(1)));
            takenBack.rollback();
            requireUntouched();
        }
        disk.release();
        answer.await();
        try (Session session = database.openSession()) {
            Transaction seen = snapshot(session);
            assertEquals("three times", row(seen, 1).getString(NAME));
            assertEquals("and again", row(seen, 2).getString(NAME));
            assertEquals("new", row(seen, ROWS).getString(NAME));
            seen.commit();
        }
    }

    /** Also in a database that answers before the disk does, but not where nothing durable is asked for. */
    @Test
    void startsThereToo() {
        disk.release();
        database.close();
        open(Durability.ASYNC, LogOptions.async(), DatabaseOptions.SNAPSHOT_BYTES_DEFAULT);
        try (Session writer = database.openSession();
                Session reader = database.openSession()) {
            commit(writer, 1, "once", 100);
            commit(writer, 1, "twice", 200);
            delete(writer, 2);
            requireUntouched();
            Transaction newest = reader.begin(database.transactionOptions()
                    .withDurability(Durability.NONE)
                    .readOnlySnapshot());
            assertEquals("twice", row(newest, 1).getString(NAME));
            assertNull(row(newest, 2));
            newest.commit();
            disk.release();
            database.checkpoint();
            Transaction seen = snapshot(reader);
            assertEquals("twice", row(seen, 1).getString(NAME));
            assertNull(row(seen, 2));
            seen.commit();
        }
    }

    /** Ghosts are removed, and pages of large values used again, long before the disk has answered. */
    @Test
    void seesWhatHasBeenRemovedSince() {
        disk.release();
        String large = "l".repeat(100_000);
        database.run(transaction -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetchForUpdate(table, id(3), row));
            row.setString(NAME, large);
            assertTrue(transaction.update(table, row));
        });
        disk.holdLogForces();
        try (Session writer = database.openSession()) {
            commit(writer, 3, "m".repeat(90_000), 3);
            commit(writer, 4, "n".repeat(100_000), 4);
            delete(writer, 3);
            for (int id = 5; id < ROWS; id++) {
                delete(writer, id);
            }
            try (Session session = database.openSession()) {
                Transaction seen = snapshot(session);
                assertEquals(large, row(seen, 3).getString(NAME));
                assertEquals("name", row(seen, 4).getString(NAME));
                try (Cursor cursor = seen.scan(table).backward()) {
                    Record row = table.newRecord();
                    for (int id = ROWS - 1; id >= 0; id--) {
                        assertTrue(cursor.next(row));
                        assertEquals(id, row.getInt(0));
                    }
                    assertFalse(cursor.next(row));
                }
                seen.commit();
            }
        }
    }

    /** What a snapshot may still read is not used for later transactions, however long it takes. */
    @Test
    void undoThatASnapshotHasIsLeftAlone() {
        try (Session writer = database.openSession();
                Session reader = database.openSession()) {
            for (int id = 0; id < ROWS; id++) {
                commit(writer, id, "first", 1_000 + id);
            }
            Transaction seen = snapshot(reader);
            disk.release();
            for (int i = 0; i < 2_000; i++) {
                commit(writer, i % ROWS, "later", i);
                if (i % 16 == 0) {
                    answer.await();
                }
            }
            for (int id = 0; id < ROWS; id++) {
                assertEquals("name", row(seen, id).getString(NAME));
                assertEquals(id, row(seen, id).getLong(AMOUNT));
            }
            seen.commit();
        }
    }

    @Test
    void whoIsAnsweredEarlyIsSeenWhereNothingHasToBeDurable() {
        try (Session writer = database.openSession();
                Session session = database.openSession()) {
            commit(writer, 1, "early", 100);
            Transaction early = session.begin(database.transactionOptions()
                    .withDurability(Durability.NONE)
                    .readOnlySnapshot());
            assertEquals("early", row(early, 1).getString(NAME));
            requireUntouched();
            early.commit();
        }
    }

    /** What is kept has a limit, beyond which those wait for the disk who would make it more, and no snapshot. */
    @Test
    void writersWaitWhereItTakesTooMuch() throws InterruptedException {
        disk.release();
        database.close();
        open(DatabaseOptions.SNAPSHOT_BYTES_MIN);
        AtomicInteger committed = new AtomicInteger();
        Worker writing = new Worker(() -> {
            try (Session writer = database.openSession()) {
                for (int i = 0; i < 1_000; i++) {
                    commit(writer, i % ROWS, "change " + i, i);
                    committed.incrementAndGet();
                }
            }
        });
        writing.awaitParkedIn("awaitRoomForUndo");
        int before = committed.get();
        assertTrue(before > 10 && before < 1_000, "committed=" + before);
        long kept = database.status().snapshots().versionBytes();
        // The last one may have found some room, and had more to keep than that.
        assertTrue(kept < 2 * DatabaseOptions.SNAPSHOT_BYTES_MIN, "versionBytes=" + kept);
        requireUntouched();
        disk.release();
        writing.join();
        assertNull(writing.failure());
        answer.await();
        assertEquals("change 999", nameOfTheLast());
    }

    /** Once it is durable, the next one finds room. */
    @Test
    void aTransactionThatKeepsMoreThanMayBeKeptHoldsNobodyUp() {
        disk.release();
        database.close();
        open(DatabaseOptions.SNAPSHOT_BYTES_MIN);
        disk.release();
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = ROWS; id < 2_000; id++) {
                DatabaseTest.put(transaction, table, row, id, "n".repeat(100), id);
            }
            for (int id = ROWS; id < 2_000; id++) {
                assertTrue(transaction.delete(table, id(id)));
            }
        });
        disk.holdLogForces();
        try (Session writer = database.openSession()) {
            commit(writer, ROWS - 1, "later", 1);
        }
        requireUntouched();
    }

    private String nameOfTheLast() {
        try (Session session = database.openSession()) {
            Transaction transaction = snapshot(session);
            String name = row(transaction, ROWS - 1).getString(NAME);
            transaction.commit();
            return name;
        }
    }

    /** Without snapshots, what is kept follows the commits that are not durable, and not all that there were. */
    @Test
    void keepsNothingThatIsDurable() {
        try (Session writer = database.openSession()) {
            for (int i = 0; i < 20_000; i++) {
                commit(writer, i % ROWS, "change " + i, i);
                if (i % 64 == 63) {
                    long kept = database.status().snapshots().versionBytes();
                    assertTrue(kept > 64 * 100 && kept < 64 * 10_000, "versionBytes=" + kept);
                    disk.release();
                    answer.await();
                    assertEquals(
                            new DatabaseStatus.SnapshotStatus(0, 0, 0),
                            database.status().snapshots());
                    disk.holdLogForces();
                }
            }
        }
    }
}
