package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void neverMoreThanTheLimitRunAndAllThatIsRefusedIsTold() throws InterruptedException {
        Database database = database(OPEN_MAX);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        // Whoever is inside stays until one is refused, or until one is inside that should have been.
        CountDownLatch metLimit = new CountDownLatch(1);
        Runnable transact = () -> database.run(transaction -> {
            int now = inside.incrementAndGet();
            most.accumulateAndGet(now, Math::max);
            if (now > OPEN_MAX) {
                metLimit.countDown();
            }
            await(metLimit);
            Thread.yield();
            inside.decrementAndGet();
            done.incrementAndGet();
        });
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            workers.add(new Worker(() -> {
                try {
                    for (int n = 0; n < TRANSACTIONS; n++) {
                        try {
                            transact.run();
                        } catch (BusyException e) {
                            refused.incrementAndGet();
                            metLimit.countDown();
                        }
                    }
                } finally {
                    // One that fails lets the others go.
                    metLimit.countDown();
                }
            }));
        }
        for (Worker worker : workers) {
            worker.join();
        }
        for (Worker worker : workers) {
            assertNull(worker.failure(), () -> String.valueOf(worker.failure()));
        }
        assertTrue(most.get() <= OPEN_MAX, () -> "inside=" + most);
        assertTrue(refused.get() > 0);
        assertEquals(THREADS * TRANSACTIONS, done.get() + refused.get());
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
