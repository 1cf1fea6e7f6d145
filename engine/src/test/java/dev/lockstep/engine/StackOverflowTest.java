package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Application code whose stack is full calls the engine, at every depth near the end of its stack and from several
 * threads. What must hold: nobody waits for ever; a database that goes on is in order and holds no latch and no lock;
 * one that is marked failed says so to everybody, those who wait for a lock or a latch included.
 */
class StackOverflowTest {
    private static final int ROWS = 200;
    private static final int THREADS = 3;

    /** Steps by which the depth differs from one sweep to the next; a frame of {@link Deep#pad} takes some 50 bytes. */
    private static final int PADDINGS = Seeds.times(12);

    /** So small that the end of the stack is reached quickly. */
    private static final long STACK_BYTES = 384 << 10;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;
    private Table table;

    private void fill() {
        database = validated.inMemory();
        table = DatabaseTest.filled(database, ROWS, "n".repeat(60));
        // What the JVM cannot link for want of stack, it never links again.
        assertThrows(
                IllegalStateException.class,
                () -> database.run(transaction -> {
                    Deep deep = new Deep(transaction, 0, 0);
                    for (int i = 0; i < 10 * ROWS; i++) {
                        deep.call();
                    }
                    throw new IllegalStateException("take it back");
                }));
        assertThrows(
                LockTimeoutException.class,
                () -> database.run(holder -> {
                    assertTrue(holder.delete(table, table.newKey().add(1)));
                    TransactionOptions hasty = database.transactionOptions().withLockTimeout(Duration.ofMillis(1));
                    database.run(
                            hasty,
                            waiting -> assertTrue(
                                    waiting.delete(table, table.newKey().add(1))));
                }));
    }

    /** Descends until the stack is full, and then calls the engine at each depth on the way back. */
    private final class Deep {
        private final Transaction transaction;
        private final Record row = table.newRecord();
        private final int padding;
        private int calls;

        Deep(Transaction transaction, int padding, int seed) {
            this.transaction = transaction;
            this.padding = padding;
            calls = seed;
        }

        @SuppressWarnings("InfiniteRecursion") // until the stack is full
        void descend(int depth) {
            try {
                descend(depth + 1);
            } catch (StackOverflowError full) {
                pad(padding);
                throw full;
            }
        }

        /** Calls at every depth on the way down, as a recursion over rows does that meets a cycle. */
        @SuppressWarnings("InfiniteRecursion") // until the stack is full
        void callAndDescend() {
            pad(padding);
            callAndDescend();
        }

        private void pad(int frames) {
            if (frames > 0) {
                pad(frames - 1);
            } else {
                call();
            }
        }

        void call() {
            int id = (calls++ & 0x7FFF_FFFF) % ROWS;
            switch (calls % 5) {
                case 0 -> DatabaseTest.put(transaction, table, row, ROWS + calls, "n".repeat(10), calls);
                case 1 -> transaction.delete(table, table.newKey().add(id));
                case 2 -> {
                    if (transaction.fetchForUpdate(table, table.newKey().add(id), row)) {
                        row.setLong(2, calls);
                        transaction.update(table, row);
                    }
                }
                case 3 -> transaction.fetch(table, table.newKey().add(id), row);
                default -> {
                    try (Cursor cursor =
                            transaction.scan(table).from(table.newKey().add(id))) {
                        cursor.next(row);
                    }
                }
            }
        }
    }

    private interface Overflow {
        void in(Transaction transaction);
    }

    /** Runs something that overflows in threads of its own, beside each other; returns what each of them got. */
    private List<Throwable> overflow(List<Overflow> works) throws Exception {
        List<FutureTask<Throwable>> tasks = new ArrayList<>();
        for (Overflow work : works) {
            FutureTask<Throwable> task = new FutureTask<>(
                    () -> assertThrows(Throwable.class, () -> database.run(transaction -> work.in(transaction))));
            Thread thread = new Thread(null, task, "deep", STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
            tasks.add(task);
        }
        List<Throwable> thrown = new ArrayList<>();
        for (FutureTask<Throwable> task : tasks) {
            thrown.add(task.get());
        }
        return thrown;
    }

    private void requireRefusedOrInOrder(List<Throwable> thrown) {
        for (Throwable failure : thrown) {
            assertTrue(
                    failure instanceof StackOverflowError
                            || failure instanceof DeadlockException
                            || failure instanceof TransactionStateException
                            || failure instanceof DatabaseFailedException,
                    failure::toString);
        }
        if (database.instance().health().isFailed()) {
            assertThrows(DatabaseFailedException.class, () -> database.run(transaction -> {}));
            database.close();
            return;
        }
        assertFalse(thrown.stream().anyMatch(DatabaseFailedException.class::isInstance));
        assertTrue(database.instance().locks().isEmpty());
        List<Integer> expected = new ArrayList<>();
        for (int id = 0; id < ROWS; id++) {
            expected.add(id);
        }
        assertEquals(expected, DatabaseTest.ids(database, null));
        validated.close(database);
    }

    @Test
    void anOverflowAtAnyDepthHarmsNobody(TestReporter reporter) throws Exception {
        int failed = 0;
        for (int padding = 0; padding < PADDINGS; padding++) {
            fill();
            List<Overflow> works = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int frames = padding;
                int seed = i * 7;
                works.add(transaction -> new Deep(transaction, frames, seed).descend(0));
            }
            List<Throwable> thrown = overflow(works);
            failed += database.instance().health().isFailed() ? 1 : 0;
            requireRefusedOrInOrder(thrown);
        }
        reporter.publishEntry("databasesFailed", Integer.toString(failed));
    }

    /**
     * The usual case: the overflow strikes in a call of the engine, and the reserve turns it away before it begins. How
     * much stack a call takes is up to the JIT compiler, so a few may get through and mark their databases failed.
     */
    @Test
    void aRecursionOverRowsWithoutEndOnlyRollsBack(TestReporter reporter) throws Exception {
        int failed = 0;
        for (int padding = 0; padding < PADDINGS; padding++) {
            fill();
            int frames = padding;
            List<Throwable> thrown =
                    overflow(List.of(transaction -> new Deep(transaction, frames, 0).callAndDescend()));
            assertInstanceOf(StackOverflowError.class, thrown.getFirst());
            failed += database.instance().health().isFailed() ? 1 : 0;
            requireRefusedOrInOrder(thrown);
        }
        reporter.publishEntry("databasesFailed", Integer.toString(failed));
        assertTrue(failed <= PADDINGS / 4, "databasesFailed=" + failed);
    }

    /** As after an overflow at a place that nobody knows: the holder of the lock never releases it. */
    @Test
    void aFailureEndsTheWaitForALock() throws Exception {
        fill();
        try (Session session = database.openSession()) {
            Transaction holder = session.begin();
            assertTrue(holder.delete(table, table.newKey().add(1)));
            TransactionOptions patient = database.transactionOptions()
                    .withLockTimeout(Duration.ofDays(1))
                    .withTimeout(Duration.ofDays(1));
            FutureTask<Throwable> waiting = new FutureTask<>(() -> assertThrows(
                    Throwable.class,
                    () -> database.run(
                            patient,
                            transaction -> assertTrue(
                                    transaction.delete(table, table.newKey().add(1))))));
            Thread.ofPlatform().daemon().start(waiting);
            // Ends when the other thread waits.
            while (database.statistics().lockWaits() == 0) {
                Thread.onSpinWait();
            }
            database.instance().health().fail(new StackOverflowError("by hand"));
            assertInstanceOf(DatabaseFailedException.class, waiting.get());
            holder.rollback();
        }
        database.close();
    }

    /** A latch whose holder was cut short is given back by nobody. */
    @Test
    void aFailureEndsTheWaitForALatch() throws Exception {
        fill();
        int root = database.table("account").reference().state().tree().rootPageId();
        int frame = database.instance().pool().residentFrameAcquire(root);
        database.instance().pool().latches().latchExclusive(frame);
        List<FutureTask<Throwable>> tasks = new ArrayList<>();
        for (boolean isVirtual : new boolean[] {false, true}) {
            FutureTask<Throwable> task = new FutureTask<>(() -> assertThrows(
                    Throwable.class,
                    () -> database.run(transaction -> {
                        // Backwards, since a scan forwards would not come by the root.
                        try (Cursor cursor = transaction.scan(table).backward()) {
                            assertTrue(cursor.next(table.newRecord()));
                        }
                    })));
            tasks.add(task);
            (isVirtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon()).start(task);
        }
        database.instance().health().fail(new StackOverflowError("by hand"));
        for (FutureTask<Throwable> task : tasks) {
            assertInstanceOf(DatabaseFailedException.class, task.get());
        }
        database.close();
    }
}
