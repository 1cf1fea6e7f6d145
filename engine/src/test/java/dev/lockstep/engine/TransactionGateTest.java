package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TransactionGateTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;

    @BeforeEach
    void open() {
        database = validated.inMemory();
    }

    /** Both have seen that the session's last transaction has ended. */
    @Test
    void oneOfTwoThreadsBegins() {
        try (Session session = database.openSession()) {
            TransactionGate gate = session.transaction().gate();
            gate.requireEnded();
            gate.requireEnded();
            gate.begin(database.transactionOptions());
            WrongThreadException refusal =
                    assertThrows(WrongThreadException.class, () -> gate.begin(database.transactionOptions()));
            assertTrue(refusal.getMessage().contains("caller="), refusal.getMessage());
            gate.requireOpen();
            session.transaction().rollback();
        }
    }

    /** Whoever comes while another is at it is told so, and not that the transaction of before is open. */
    @Test
    void whoComesWhileAnotherBeginsIsRefused() {
        try (Session session = database.openSession()) {
            TransactionGate gate = session.transaction().gate();
            assertTrue(gate.changeState(TransactionGate.State.ENDED, TransactionGate.State.BEGINNING));
            assertThrows(WrongThreadException.class, session::begin);
            assertFalse(gate.isOrphaned());
            assertTrue(gate.changeState(TransactionGate.State.BEGINNING, TransactionGate.State.ENDED));
            session.begin().commit();
            assertEquals(TransactionGate.State.ENDED, gate.state());
        }
    }

    /** Its own transaction has ended, and the session is another's: what that one begins stays. */
    @Test
    void aRollbackWhileAnotherBeginsDoesNothing() {
        try (Session session = database.openSession()) {
            session.begin().commit();
            TransactionGate gate = session.transaction().gate();
            assertTrue(gate.changeState(TransactionGate.State.ENDED, TransactionGate.State.BEGINNING));
            session.transaction().rollback();
            assertEquals(TransactionGate.State.BEGINNING, gate.state());
            gate.rollback(false);
            assertEquals(TransactionGate.State.BEGINNING, gate.state());
            assertFalse(gate.isInEngine());
            assertTrue(gate.changeState(TransactionGate.State.BEGINNING, TransactionGate.State.ENDED));
            session.begin().commit();
        }
    }

    @Test
    void aSessionIsNotClosedWhileAnotherThreadBegins() {
        try (Session session = database.openSession()) {
            session.begin().commit();
            TransactionGate gate = session.transaction().gate();
            assertTrue(gate.changeState(TransactionGate.State.ENDED, TransactionGate.State.BEGINNING));
            assertThrows(WrongThreadException.class, session::close);
            assertEquals(TransactionGate.State.BEGINNING, gate.state());
            assertTrue(gate.changeState(TransactionGate.State.BEGINNING, TransactionGate.State.ENDED));
            session.begin().commit();
        }
    }

    /** A begin that fails leaves the session as it was. */
    @Test
    void aBeginThatIsRefusedCanBeTriedAgain() {
        DatabaseOptions options = ValidatedDatabase.SMALLEST.toBuilder()
                .createIfMissing(false)
                .openTransactionCountMax(1)
                .build();
        Database limited = validated.inMemory(options, null);
        try (Session first = limited.openSession();
                Session second = limited.openSession()) {
            Transaction open = first.begin();
            assertThrows(BusyException.class, second::begin);
            open.commit();
            second.begin().commit();
        }
    }
}
