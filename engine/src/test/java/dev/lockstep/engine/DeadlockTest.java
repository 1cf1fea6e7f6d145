package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who gives way in a deadlock, and what the error tells about it. */
class DeadlockTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;
    private Actor older;
    private Actor younger;

    @BeforeEach
    void begin() throws Exception {
        database = validated.inMemory();
        Table table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            DatabaseTest.put(transaction, table, row, 10, "n", 10);
            DatabaseTest.put(transaction, table, row, 20, "n", 20);
        });
        older = new Actor(database, table, "worker-older");
        younger = new Actor(database, table, "worker-younger");
        older.run(actor -> actor.begin(database.transactionOptions()));
        younger.run(actor -> actor.begin(database.transactionOptions()));
    }

    @AfterEach
    void end() throws Exception {
        older.close();
        younger.close();
    }

    private String messageOf(Future<?> failed) {
        ExecutionException thrown = assertThrows(ExecutionException.class, failed::get);
        return assertInstanceOf(DeadlockException.class, thrown.getCause()).getMessage();
    }

    /** The younger gives way although it has changed more, and although it is the older that closes the cycle. */
    @Test
    void theYoungestGivesWay() throws Exception {
        younger.run(actor -> actor.insert(30, 30));
        younger.run(actor -> actor.insert(40, 40));
        younger.run(actor -> actor.write(20, 21));
        older.run(actor -> actor.write(10, 11));
        Future<Boolean> waits = younger.start(actor -> actor.write(10, 12));
        younger.awaitLockWait(waits);
        Future<Boolean> closes = older.start(actor -> actor.write(20, 22));
        String message = messageOf(waits);
        younger.run(Actor::rollback);
        assertTrue(closes.get());
        older.run(Actor::commit);
        assertEquals(1, database.statistics().deadlocks());
        assertTrue(message.contains("members=2, cycle="), message);
        assertTrue(
                message.matches(".*\"\\d+\\(worker-younger\\) waits for X on key:0x[0-9a-f]{16} of account held in X by"
                        + " \\d+\\(worker-older\\)\".*"),
                message);
        assertTrue(
                message.matches(".*\"\\d+\\(worker-older\\) waits for X on key:0x[0-9a-f]{16} of account held in X by"
                        + " \\d+\\(worker-younger\\)\".*"),
                message);
    }

    /** Who has changed nothing has no id, and is named by its session; indexes have names of their own. */
    @Test
    void readersAndIndexesAreNamed() throws Exception {
        older.run(actor -> actor.amountsByIndex(0, 15));
        younger.run(actor -> actor.amount(20));
        Future<Boolean> waits = older.start(actor -> actor.write(20, 21));
        older.awaitLockWait(waits);
        Future<Void> closes = younger.start(actor -> actor.insert(5, 5));
        String message = messageOf(closes);
        younger.run(Actor::rollback);
        assertTrue(waits.get());
        older.run(Actor::commit);
        assertTrue(
                message.matches(".*\"s\\d+\\(worker-older\\) waits for X on key:0x[0-9a-f]{16} of account held in S by"
                        + " \\d+\\(worker-younger\\)\".*"),
                message);
        assertTrue(message.contains(" of account.by_amount held in "), message);
    }
}
