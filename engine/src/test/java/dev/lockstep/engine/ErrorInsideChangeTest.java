package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.operation.FailingChange;
import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** An Error that strikes while a page is latched and about to be changed. */
class ErrorInsideChangeTest {
    private static final int ROWS = 10;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    private Path directory;

    private Database database;
    private Table table;

    @BeforeEach
    void fill() {
        database = validated.open(directory);
        table = database.createTable(TableDefinition.named("account")
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build());
        database.run(transaction -> {
            for (int id = 0; id < ROWS; id++) {
                transaction.insert(table, row(id));
            }
        });
    }

    private Record row(int id) {
        Record row = table.newRecord();
        row.setInt(0, id);
        return row;
    }

    private FailingChange.MeantError strike(Session session, boolean isLogged) {
        BTree tree = table.reference().state().tree();
        Key key = table.newKey().add(3);
        FailingChange change = new FailingChange(session.core(), isLogged);
        return assertThrows(FailingChange.MeantError.class, () -> change.run(tree, key.bytes(), key.length()));
    }

    /** What is in the log is not in the page: nobody may go on from there. */
    @Test
    void behindTheLogRecordItMarksTheDatabaseFailed() {
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            FailingChange.MeantError struck = strike(session, true);
            assertTrue(database.instance().health().isFailed());
            DatabaseFailedException refusal =
                    assertThrows(DatabaseFailedException.class, () -> transaction.insert(table, row(ROWS)));
            Throwable cause = refusal;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            assertSame(struck, assertInstanceOf(FailingChange.MeantError.class, cause));
            transaction.rollback();
        }
        assertThrows(DatabaseFailedException.class, () -> database.run(none -> {}));
        database.close();
        database = validated.open(directory);
        table = database.table("account");
        assertEquals(ROWS, DatabaseTest.ids(database, null).size());
    }

    /** Nothing has happened yet: the latch is given back, and the transaction goes on. */
    @Test
    void inFrontOfItNothingIsLost() {
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin();
            strike(session, false);
            assertFalse(database.instance().health().isFailed());
            transaction.insert(table, row(ROWS));
            transaction.commit();
        }
        List<Integer> ids = DatabaseTest.ids(database, null);
        assertEquals(ROWS + 1, ids.size());
    }
}
