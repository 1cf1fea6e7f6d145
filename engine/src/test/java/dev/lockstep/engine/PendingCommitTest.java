package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A commit whose answer somebody else waits for: the session is free at once, the answer comes with the force. */
class PendingCommitTest {
    private static final Path HOME = Path.of("/database");
    private static final long SEED = 11;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final FaultyStorage disk = new FaultyStorage(SEED);
    private final HeldStorage storage = new HeldStorage(disk);
    private Database database;
    private Table table;

    @BeforeEach
    void open() {
        database = openOn(HOME);
        table = database.createTable(DatabaseTest.accounts());
    }

    @AfterEach
    void release() {
        storage.release();
    }

    private Database openOn(Path home) {
        return Database.open(storage, home, ValidatedDatabase.SMALLEST, null, LogOptions.sync());
    }

    private Transaction put(Session session, int id) {
        Transaction transaction = session.begin();
        DatabaseTest.put(transaction, table, table.newRecord(), id, "name", id);
        return transaction;
    }

    private static boolean holds(Database database, int id) {
        Table accounts = database.table(DatabaseTest.accounts().name());
        return database.call(
                transaction -> transaction.fetch(accounts, accounts.newKey().add(id), accounts.newRecord()));
    }

    @Test
    void theSessionRunsOthersWhileTheAnswerWaits() throws InterruptedException {
        validated.track(database);
        PendingCommit first = database.newPendingCommit();
        PendingCommit second = database.newPendingCommit();
        assertFalse(first.isPending());
        first.await();
        storage.holdLogForces();
        try (Session session = database.openSession()) {
            put(session, 1).commit(first);
            put(session, 2).commit(second);
        }
        assertTrue(first.isPending());
        Worker waits = new Worker(first::await);
        waits.awaitParkedIn("awaitDurableSignal");
        storage.release();
        waits.join();
        assertNull(waits.failure());
        second.await();
        assertFalse(first.isPending());
        assertFalse(second.isPending());
        assertTrue(holds(database, 1) && holds(database, 2));
    }

    @Test
    void severalCommitsAreAnsweredTogether() {
        validated.track(database);
        PendingCommit answer = database.newPendingCommit();
        storage.holdLogForces();
        try (Session session = database.openSession()) {
            put(session, 1).commit(answer);
            // Has nothing of its own to wait for, and takes nothing away.
            session.begin().commit(answer);
        }
        assertTrue(answer.isPending());
        storage.release();
        answer.await();
        assertFalse(answer.isPending());
    }

    @Test
    void aReaderOfWhatIsNotOnDiskIsPendingToo() {
        validated.track(database);
        PendingCommit written = database.newPendingCommit();
        PendingCommit read = database.newPendingCommit();
        storage.holdLogForces();
        try (Session session = database.openSession()) {
            put(session, 1).commit(written);
            Transaction reader = session.begin();
            assertTrue(reader.fetch(table, table.newKey().add(1), table.newRecord()));
            reader.commit(read);
        }
        assertTrue(read.isPending());
        storage.release();
        read.await();
        assertFalse(written.isPending());
    }

    @Test
    void whatNobodyWaitsForReachesTheDiskAllTheSame() {
        validated.track(database);
        PendingCommit answer = database.newPendingCommit();
        try (Session session = database.openSession()) {
            put(session, 1).commit(answer);
        }
        // Ends with the force, or with the time limit of the class.
        while (answer.isPending()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whatWasAnsweredSurvivesACrash() {
        PendingCommit answer = database.newPendingCommit();
        try (Session session = database.openSession()) {
            put(session, 1).commit(answer);
        }
        answer.await();
        disk.crash();
        database.abandon();
        Database reopened = validated.track(openOn(HOME));
        assertTrue(holds(reopened, 1), () -> "seed=" + SEED);
    }

    @Test
    void anInterruptDoesNotEndTheWait() throws InterruptedException {
        validated.track(database);
        PendingCommit answer = database.newPendingCommit();
        storage.holdLogForces();
        try (Session session = database.openSession()) {
            put(session, 1).commit(answer);
        }
        Worker waits = new Worker(answer::await);
        waits.awaitParkedIn("awaitDurableSignal");
        waits.interrupt();
        assertTrue(answer.isPending());
        storage.release();
        waits.join();
        assertNull(waits.failure());
        assertTrue(waits.interrupted());
        assertFalse(answer.isPending());
    }

    @Test
    void aFailedForceIsToldToWhoWaits() throws InterruptedException {
        PendingCommit answer = database.newPendingCommit();
        storage.holdLogForces();
        try (Session session = database.openSession()) {
            put(session, 1).commit(answer);
        }
        Worker waits = new Worker(answer::await);
        waits.awaitParkedIn("awaitDurableSignal");
        disk.failAtChange(1, true);
        storage.release();
        waits.join();
        assertInstanceOf(DatabaseFailedException.class, waits.failure());
        assertThrows(DatabaseFailedException.class, answer::await);
        database.abandon();
    }

    @Test
    void theAnswerOfAnotherDatabaseIsRefusedAndChangesNothing() {
        validated.track(database);
        try (Database other = openOn(Path.of("/other"));
                Session session = database.openSession()) {
            PendingCommit foreign = other.newPendingCommit();
            Transaction transaction = put(session, 1);
            TransactionStateException refused =
                    assertThrows(TransactionStateException.class, () -> transaction.commit(foreign));
            assertTrue(refused.getMessage().contains("pending=false"), refused::getMessage);
            assertTrue(transaction.isOpen());
            transaction.commit(database.newPendingCommit());
        }
        assertTrue(holds(database, 1));
    }
}
