package dev.lockstep.engine.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/** What the table says has ended has ended, and it says so before long. */
class TransactionTableTest {
    private static final int CONTEXTS = 20;

    /** More than the ids, or questions, after which the table looks again. */
    private static final int MANY = 200;

    private static TransactionContext context(TransactionTable table) {
        TransactionContext context = new TransactionContext(null);
        table.register(context);
        context.begin(Isolation.SERIALIZABLE, Long.MAX_VALUE, Long.MAX_VALUE);
        return context;
    }

    private static long identify(TransactionTable table, TransactionContext context) {
        long id = table.takeTransactionId(context);
        context.identify(id, TransactionContext.NO_LSN);
        return id;
    }

    private static void end(TransactionContext context) {
        context.logEnded();
        context.begin(Isolation.SERIALIZABLE, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    private static long askOften(TransactionTable table, TransactionContext asking) {
        long endedBelow = 0;
        for (int i = 0; i < MANY; i++) {
            endedBelow = table.endedBelow(asking, null, false);
        }
        return endedBelow;
    }

    @Test
    void theOldestTransactionIsTheBound() {
        TransactionTable table = new TransactionTable(1);
        TransactionContext asking = context(table);
        assertEquals(1, askOften(table, asking));
        TransactionContext oldest = context(table);
        TransactionContext other = context(table);
        long id = identify(table, oldest);
        assertEquals(id, askOften(table, asking));
        for (int i = 0; i < MANY; i++) {
            identify(table, other);
            end(other);
        }
        assertEquals(id, askOften(table, asking));
        end(oldest);
        assertEquals(table.nextTransactionId(), askOften(table, asking));
    }

    @Test
    void isFoundAnewAfterManyIdsAtTheFirstQuestion() {
        TransactionTable table = new TransactionTable(1);
        TransactionContext asking = context(table);
        TransactionContext other = context(table);
        for (int i = 0; i < MANY; i++) {
            identify(table, other);
            end(other);
        }
        assertEquals(table.nextTransactionId(), table.endedBelow(asking, null, false));
    }

    @Test
    void agreesWithTheSetOfThoseThatRun() throws Exception {
        Seeds.each(20, seed -> {
            Random random = new Random(seed);
            TransactionTable table = new TransactionTable(1 + random.nextInt(1_000));
            List<TransactionContext> contexts = new ArrayList<>();
            for (int i = 0; i < CONTEXTS; i++) {
                contexts.add(context(table));
            }
            TreeSet<Long> running = new TreeSet<>();
            for (int i = 0; i < 5_000; i++) {
                TransactionContext context = contexts.get(random.nextInt(CONTEXTS));
                if (context.transactionId() == 0) {
                    running.add(identify(table, context));
                } else {
                    running.remove(context.transactionId());
                    end(context);
                }
                long bound = running.isEmpty() ? table.nextTransactionId() : running.first();
                long endedBelow = table.endedBelow(contexts.get(random.nextInt(CONTEXTS)), null, false);
                assertTrue(endedBelow <= bound, () -> endedBelow + " is above " + bound);
            }
            long bound = running.isEmpty() ? table.nextTransactionId() : running.first();
            assertEquals(bound, askOften(table, contexts.getFirst()));
        });
    }

    @Test
    void besideOthersItNamesNobodyWhoRuns() throws InterruptedException {
        int transactions = 40_000;
        TransactionTable table = new TransactionTable(1);
        AtomicIntegerArray ended = new AtomicIntegerArray(4 * transactions + 1);
        AtomicInteger running = new AtomicInteger(4);
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            threads.add(Thread.ofPlatform().start(() -> {
                TransactionContext context = context(table);
                for (int i = 0; i < transactions; i++) {
                    int id = (int) identify(table, context);
                    ended.set(id, 1);
                    end(context);
                }
                running.decrementAndGet();
            }));
        }
        TransactionContext asking = context(table);
        long checked = 1;
        long endedBelow;
        do {
            boolean last = running.get() == 0;
            endedBelow = last ? askOften(table, asking) : table.endedBelow(asking, null, false);
            for (; checked < endedBelow; checked++) {
                assertEquals(1, ended.get((int) checked), "id=" + checked + " endedBelow=" + endedBelow);
            }
        } while (endedBelow <= 4L * transactions);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(4L * transactions + 1, endedBelow);
    }
}
