package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions count their own page accesses and misses, which add up to those of the database. */
class SessionStatisticsTest {
    private static final int ROWS = 20_000;
    private static final int FETCHES = 200;

    private static final TransactionOptions OPTIONS = TransactionOptions.of(DatabaseOptions.defaults());

    /** Half of the frames of the smallest pool: a scan of a larger table misses more often. */
    private static final long MISSES_MIN = DatabaseOptions.POOL_BYTES_MIN / 8_192 / 2;

    @TempDir
    Path directory;

    @Test
    void sessionsCountTheirOwnPages() {
        try (Database database = Database.open(directory, ValidatedDatabase.SMALLEST)) {
            Table table = DatabaseTest.filled(database, ROWS, "a name that takes some room in its page");
            try (Session scanning = database.openSession();
                    Session fetching = database.openSession()) {
                assertEquals(new SessionStatistics(0, 0), scanning.statistics());
                DatabaseStatistics before = database.statistics();
                fetch(fetching, table);
                scan(scanning, table);
                fetch(fetching, table);
                DatabaseStatistics after = database.statistics();
                SessionStatistics scanned = scanning.statistics();
                SessionStatistics fetched = fetching.statistics();
                assertTrue(scanned.pageMisses() > MISSES_MIN, scanned::toString);
                assertTrue(fetched.pageMisses() < 10, fetched::toString);
                assertTrue(fetched.pageAccesses() >= 2 * FETCHES, fetched::toString);
                assertEquals(
                        after.pageAccesses() - before.pageAccesses(), scanned.pageAccesses() + fetched.pageAccesses());
                assertEquals(after.pageMisses() - before.pageMisses(), scanned.pageMisses() + fetched.pageMisses());
            }
        }
    }

    private static void fetch(Session session, Table table) {
        Record row = table.newRecord();
        Key key = table.newKey();
        for (int i = 0; i < FETCHES; i++) {
            session.call(
                    OPTIONS, transaction -> transaction.fetch(table, key.reset().add(7), row));
        }
    }

    private static void scan(Session session, Table table) {
        Record row = table.newRecord();
        int rows = session.call(OPTIONS, transaction -> {
            int count = 0;
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    count++;
                }
            }
            return count;
        });
        assertEquals(ROWS, rows);
    }
}
