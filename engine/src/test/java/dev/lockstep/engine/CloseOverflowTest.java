package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A database is closed at every depth near the end of a stack: it is closed, or it is open as before. */
class CloseOverflowTest {
    private static final int ROWS = 10;
    private static final int TURNS = Seeds.times(4);
    private static final long STACK_BYTES = 512 << 10;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    /** Descends until the stack is full, and closes at each depth on the way back. */
    private static final class Deep {
        private final Database database;
        private int refusals;
        private boolean isCutShort;

        Deep(Database database) {
            this.database = database;
        }

        @SuppressWarnings("InfiniteRecursion") // until the stack is full
        void descend(int depth) {
            try {
                descend(depth + 1);
            } catch (StackOverflowError full) {
                close();
                throw full;
            }
        }

        private void close() {
            boolean wasClosed = database.isClosed();
            try {
                database.close();
            } catch (StackOverflowError full) {
                refusals++;
                isCutShort |= !wasClosed && database.isClosed();
                throw full;
            }
        }
    }

    @Test
    void aCloseBeginsOnlyWhereThereIsRoom(@TempDir Path directory) throws Exception {
        try (Database database = Database.open(directory, ValidatedDatabase.SMALLEST)) {
            DatabaseTest.filled(database, ROWS, "name");
        }
        for (int turn = 0; turn < TURNS; turn++) {
            Database database = validated.unexamined(Database.open(directory, ValidatedDatabase.SMALLEST));
            assertEquals(ROWS, DatabaseTest.ids(database, null).size());
            Deep deep = new Deep(database);
            FutureTask<Void> task = new FutureTask<>(
                    () -> {
                        try {
                            deep.descend(0);
                        } catch (StackOverflowError full) {
                            // As it was to be.
                        }
                    },
                    null);
            Thread thread = new Thread(null, task, "deep", STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
            task.get();
            assertTrue(deep.refusals > 0);
            assertFalse(deep.isCutShort, "refusals=" + deep.refusals);
            assertTrue(database.isClosed());
        }
    }
}
