package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.lockstep.engine.type.ColumnType;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a session takes of the heap: an application may have ten thousand of them. */
class SessionMemoryTest {
    private static final int SESSIONS = 1_000;

    /** A third more than an idle session takes with compressed object pointers; without, it still stays below. */
    private static final long IDLE_BYTES_MAX = 8 << 10;

    /** A quarter more, for a session whose open transaction has read, changed, inserted and scanned. */
    private static final long WORKING_BYTES_MAX = 16 << 10;

    private static final int ID = 0;
    private static final int NAME = 1;
    private static final int BODY = 2;
    private static final int BODY_BYTES = 200;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final byte[] body = new byte[BODY_BYTES];
    private Database database;
    private Table table;
    private Key key;
    private Key name;
    private Record row;

    private void fill() {
        database = validated.inMemory();
        table = database.createTable(TableDefinition.named("rows")
                .column("id", ColumnType.int32())
                .column("name", ColumnType.string(20))
                .column("body", ColumnType.binary(BODY_BYTES))
                .primaryKey("id")
                .index("byName", "name")
                .build());
        key = table.newKey();
        name = table.newIndexKey("byName");
        row = table.newRecord();
        database.run(transaction -> {
            for (int i = 0; i < SESSIONS; i++) {
                transaction.insert(table, row(2 * i));
            }
        });
    }

    private Record row(int id) {
        row.clear();
        row.setInt(ID, id);
        row.setString(NAME, "name" + id);
        row.setBytes(BODY, body, 0, body.length);
        return row;
    }

    /** Reads, changes, inserts and scans beside the others; the transaction stays open. */
    private Transaction work(Session session, int number) {
        TransactionOptions options = TransactionOptions.of(DatabaseOptions.defaults())
                .withIsolation(Isolation.READ_COMMITTED)
                .withDurability(Durability.NONE);
        Transaction transaction = session.begin(options);
        int id = 2 * number;
        assertTrue(transaction.fetchForUpdate(table, key.reset().add(id), row));
        row.setString(NAME, "other" + id);
        assertTrue(transaction.update(table, row));
        transaction.insert(table, row(id + 1));
        try (Cursor rows = transaction.scan(table).within(key.reset().add(id))) {
            assertTrue(rows.next(row));
        }
        try (Cursor entries =
                transaction.scan(table, "byName").within(name.reset().add("other" + id))) {
            assertTrue(entries.nextKey(key));
        }
        return transaction;
    }

    @Test
    void idleSessionAndOpenTransactionTakeFewKilobytes() {
        fill();
        // Classes are loaded before anything is counted.
        try (Session session = database.openSession()) {
            work(session, 0).rollback();
        }
        List<Session> sessions = new ArrayList<>(SESSIONS);
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < SESSIONS; i++) {
            sessions.add(database.openSession());
        }
        long idle = (threads.getCurrentThreadAllocatedBytes() - before) / SESSIONS;
        List<Transaction> open = new ArrayList<>(SESSIONS);
        for (int i = 0; i < SESSIONS; i++) {
            open.add(work(sessions.get(i), i));
        }
        long working = (threads.getCurrentThreadAllocatedBytes() - before) / SESSIONS;
        open.forEach(Transaction::commit);
        sessions.forEach(Session::close);
        assertTrue(idle > 0 && idle <= IDLE_BYTES_MAX, () -> "bytesPerIdleSession=" + idle);
        assertTrue(working > idle && working <= WORKING_BYTES_MAX, () -> "bytesPerWorkingSession=" + working);
    }
}
