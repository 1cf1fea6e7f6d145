package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.catalog.TableState;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The pages of a dropped table say whose they are until somebody else writes to them. */
class TreeIdTest {
    private static final int ROWS = 400;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    private Path directory;

    private static int treeIdMax(Table table) {
        TableState state = table.reference().state();
        int max = state.tree().treeId();
        for (TableState.IndexState index : state.indexes()) {
            max = Math.max(max, index.tree().treeId());
        }
        return max;
    }

    /** The table comes and goes between a checkpoint and a crash, so only the log tells of it. */
    @Test
    void anIdIsNotGivenOutAgainBehindACrash() {
        validated.close(validated.open(directory));
        Database database = Database.open(directory, ValidatedDatabase.USUAL);
        Table dropped = DatabaseTest.filled(database, ROWS, "n".repeat(100));
        int treeIdMax = treeIdMax(dropped);
        database.dropTable("account");
        database.abandon();
        database = validated.open(directory);
        int treeId = database.createTable(DatabaseTest.accounts())
                .reference()
                .state()
                .tree()
                .treeId();
        assertTrue(treeId > treeIdMax, "treeId=" + treeId + ", treeIdMax=" + treeIdMax);
    }
}
