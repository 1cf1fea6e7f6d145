package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whatever user code throws inside a transaction rolls it back and releases what it held. */
class UserErrorTest {
    private static final int ROWS = 300;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;
    private Table table;
    private long sum;

    private void fill() {
        database = validated.inMemory();
        table = DatabaseTest.filled(database, ROWS, "n".repeat(100));
    }

    /** Changes many rows, with a scan open, then fails. */
    private void changeAndThrow(Transaction transaction, Throwable failure) throws Throwable {
        Record row = table.newRecord();
        for (int id = 0; id < ROWS; id += 3) {
            assertTrue(transaction.fetchForUpdate(table, table.newKey().add(id), row));
            row.setLong(2, -1);
            assertTrue(transaction.update(table, row));
            DatabaseTest.put(transaction, table, row, ROWS + id, "x".repeat(5_000), 1);
            assertTrue(transaction.delete(table, table.newKey().add(id + 1)));
        }
        try (Cursor cursor = transaction.scan(table)) {
            assertTrue(cursor.next(row));
            throw failure;
        }
    }

    private void requireUnchanged() {
        database.run(transaction -> {
            Record row = table.newRecord();
            int id = 0;
            try (Cursor cursor = transaction.scan(table)) {
                for (; cursor.next(row); id++) {
                    assertEquals(id, row.getInt(0));
                    assertEquals(id, row.getLong(2));
                }
            }
            assertEquals(ROWS, id);
        });
        ValidatedDatabase.examine(database);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable failure) throws T {
        throw (T) failure;
    }

    @Test
    void everyKindOfThrowableRollsBack() {
        fill();
        for (Throwable failure : new Throwable[] {
            new IllegalStateException("unchecked"),
            new Exception("checked"),
            new AssertionError("error"),
            new OutOfMemoryError("by hand"),
            new StackOverflowError("by hand"),
            new Throwable("neither")
        }) {
            Throwable thrown = assertThrows(
                    Throwable.class,
                    () -> database.run(transaction -> {
                        try {
                            changeAndThrow(transaction, failure);
                        } catch (Throwable same) {
                            UserErrorTest.<RuntimeException>sneak(same);
                        }
                    }));
            assertSame(failure, thrown);
            assertEquals(0, thrown.getSuppressed().length);
            requireUnchanged();
        }
    }

    @Test
    void anArrayThatIsTooLargeRollsBack() {
        fill();
        assertThrows(
                OutOfMemoryError.class,
                () -> database.run(transaction -> {
                    assertTrue(transaction.delete(table, table.newKey().add(1)));
                    byte[][] arrays = {new byte[Integer.MAX_VALUE]};
                    sum += arrays.length;
                }));
        requireUnchanged();
    }

    @Test
    void aRecursionWithoutEndRollsBack() {
        fill();
        assertThrows(
                StackOverflowError.class,
                () -> database.run(transaction -> {
                    assertTrue(transaction.delete(table, table.newKey().add(1)));
                    sum += recurse(1);
                }));
        requireUnchanged();
    }

    @SuppressWarnings("InfiniteRecursion") // until the stack is full
    private long recurse(long depth) {
        return depth + recurse(depth + 1) * 3;
    }

    /** Calls the engine at every depth up to the one where the stack is full, deepest first. */
    private final class Deep {
        private final Transaction transaction;
        private final Record row = table.newRecord();
        private final int padding;
        private int calls;

        Deep(Transaction transaction, int padding) {
            this.transaction = transaction;
            this.padding = padding;
        }

        /** Makes the calls with stack to spare: what the JVM cannot link for want of stack, it never links again. */
        void warmUp() {
            for (int i = 0; i < ROWS; i++) {
                call();
            }
        }

        @SuppressWarnings("InfiniteRecursion") // until the stack is full
        void descend(int depth) {
            try {
                descend(depth + 1);
            } catch (StackOverflowError full) {
                // So little stack is left here that the call fails at another place each time.
                pad(padding);
                throw full;
            }
        }

        private void pad(int frames) {
            if (frames > 0) {
                pad(frames - 1);
            } else {
                call();
            }
        }

        private void call() {
            int id = calls++ % ROWS;
            switch (calls % 4) {
                case 0 -> DatabaseTest.put(transaction, table, row, ROWS + calls, "n".repeat(10), calls);
                case 1 -> transaction.delete(table, table.newKey().add(id));
                case 2 -> {
                    if (transaction.fetchForUpdate(table, table.newKey().add(id), row)) {
                        row.setLong(2, calls);
                        transaction.update(table, row);
                    }
                }
                default -> {
                    try (Cursor cursor =
                            transaction.scan(table).from(table.newKey().add(id))) {
                        sum += cursor.next(row) ? 1 : 0;
                    }
                }
            }
        }
    }

    /**
     * At worst the instance is marked failed, since an overflow in the middle of a change leaves a page that cannot be
     * trusted; it never hangs and never goes on with a broken page.
     */
    @Test
    void aStackThatIsFullInsideTheEngineBreaksNothing() throws Exception {
        for (int padding = 0; padding < 40; padding++) {
            fill();
            assertThrows(
                    IllegalStateException.class,
                    () -> database.run(transaction -> {
                        new Deep(transaction, 0).warmUp();
                        throw new IllegalStateException("take it back");
                    }));
            assertThrows(SchemaException.class, () -> database.table("none"));
            database.instance().health().check();
            int frames = padding;
            FutureTask<Void> task = new FutureTask<>(
                    () -> {
                        Throwable thrown = assertThrows(
                                Throwable.class,
                                () -> database.run(transaction -> new Deep(transaction, frames).descend(0)));
                        assertTrue(
                                thrown instanceof StackOverflowError || thrown instanceof LockstepException,
                                thrown::toString);
                    },
                    null);
            // A small stack, so that the depths near its end are reached quickly.
            Thread thread = new Thread(null, task, "deep", 256 << 10);
            thread.setDaemon(true);
            thread.start();
            task.get();
            if (database.instance().health().isFailed()) {
                assertThrows(DatabaseFailedException.class, () -> database.run(transaction -> {}));
                database.close();
            } else {
                requireUnchanged();
                validated.close(database);
            }
        }
    }
}
