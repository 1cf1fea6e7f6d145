package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The limit of open transactions: one more is refused, and every kind of end makes room. */
class BusyTest {
    private static final int OPEN_MAX = 3;
    private static final int THREADS = 16;
    private static final int TRANSACTIONS = 200;

    @RegisterExtension
    final ValidatedDatabase databases = new ValidatedDatabase();

    private Database database(int openMax) {
        return databases.inMemory(
                DatabaseOptions.builder()
                        .poolBytes(8 << 20)
                        .openTransactionCountMax(openMax)
                        .build(),
                null);
    }

    /** One way in which a transaction ends. */
    private interface End {
        void end(Session session, Transaction transaction);
    }

    @Test
    void oneMoreIsRefusedAndEveryEndMakesRoom() {
        Database database = database(OPEN_MAX);
        List<Session> others = new ArrayList<>();
        for (int i = 1; i < OPEN_MAX; i++) {
            others.add(database.openSession());
            others.getLast().begin();
        }
        List<End> ends = List.of(
                (session, transaction) -> transaction.commit(),
                (session, transaction) -> transaction.rollback(),
                (session, transaction) -> {
                    transaction.rollback();
                    transaction.rollback();
                },
                (session, transaction) -> {
                    assertThrows(TransactionStateException.class, session::begin);
                    transaction.commit();
                    assertThrows(TransactionStateException.class, transaction::commit);
                },
                (session, transaction) -> assertThrows(LeakedHandleException.class, session::close));
        for (End end : ends) {
            Session session = database.openSession();
            Transaction transaction = session.begin();
            BusyException busy = assertThrows(BusyException.class, () -> database.run(ignored -> {}));
            assertTrue(busy.getMessage().contains("openTransactions=3, openTransactionCountMax=3"), busy.getMessage());
            assertFalse(busy.isRetryable());
            end.end(session, transaction);
            database.run(ignored -> {});
            if (end != ends.getLast()) {
                session.close();
            }
        }
        others.forEach(session -> assertThrows(LeakedHandleException.class, session::close));
    }

    @Test
    void neverMoreThanTheLimitRunAndAllThatIsRefusedIsTold() throws InterruptedException {
        Database database = database(OPEN_MAX);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < TRANSACTIONS; n++) {
                    try {
                        database.run(transaction -> {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            Thread.yield();
                            inside.decrementAndGet();
                        });
                    } catch (BusyException e) {
                        refused.incrementAndGet();
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertTrue(most.get() <= OPEN_MAX, () -> "inside=" + most);
        assertEquals(refused.get(), database.instance().transactionLimit().refusals());
        List<Session> sessions = new ArrayList<>();
        for (int i = 0; i < OPEN_MAX; i++) {
            sessions.add(database.openSession());
            sessions.get(i).begin();
        }
        assertThrows(BusyException.class, () -> database.run(transaction -> {}));
        for (Session session : sessions) {
            assertThrows(LeakedHandleException.class, session::close);
        }
    }
}
