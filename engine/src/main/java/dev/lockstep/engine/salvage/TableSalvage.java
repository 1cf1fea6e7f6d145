package dev.lockstep.engine.salvage;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.ProgressListener.Stage;
import dev.lockstep.engine.SalvageReport.SavedTable;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.type.KeyFormat;
import dev.lockstep.engine.type.StoredTable;
import java.util.ArrayList;
import java.util.List;

/** Saves the rows of one table and counts what becomes of them. Not thread-safe. */
final class TableSalvage implements TreeSalvage.Sink {
    /** Rows between two reports of progress. */
    private static final int ROWS_PER_REPORT = 10_000;

    private final StoredTable table;
    private final TreeSalvage tree;
    private final KeyFormat keyFormat;
    private final RowWriter writer;
    private final ProgressListener progress;
    private final List<String> losses = new ArrayList<>();
    private long rowCount;
    private long scannedCount;
    private long oldCount;
    private long lostCount;

    /** Makes the table in the new database. */
    TableSalvage(StoredTable table, TreeSalvage tree, Database target, Session session, ProgressListener progress) {
        this.table = table;
        this.tree = tree;
        this.progress = progress;
        keyFormat = table.definition().keyFormat();
        writer = new RowWriter(session, target.createTable(withFinishedIndexes(table)));
    }

    /** An index whose creation was cut short was not in force yet: rows may break its rules. */
    private static TableDefinition withFinishedIndexes(StoredTable table) {
        TableDefinition definition = table.definition();
        List<IndexDefinition> finished = new ArrayList<>();
        for (int i = 0; i < definition.indexes().size(); i++) {
            if (table.indexes().get(i).state() == StoredTable.IndexState.READY) {
                finished.add(definition.indexes().get(i));
            }
        }
        return new TableDefinition(definition.name(), definition.columns(), definition.primaryKey(), finished);
    }

    /** Saves what the root leads to. */
    void walk() {
        try (writer) {
            tree.walk(table.rootPageId(), this);
            writer.finish();
        }
    }

    /** Saves what else there is. */
    void scan(LeafCandidates candidates) {
        try (writer) {
            tree.scan(candidates, this);
            writer.finish();
        }
    }

    /** Its tree. */
    TreeSalvage tree() {
        return tree;
    }

    @Override
    public void record(byte[] key, byte[] value, TreeSalvage.Origin origin) {
        String why = writer.write(key, value);
        if (why != null) {
            lost(key, why);
            return;
        }
        rowCount++;
        scannedCount += origin == TreeSalvage.Origin.WALK ? 0 : 1;
        oldCount += origin == TreeSalvage.Origin.PERHAPS_OLD ? 1 : 0;
        if (rowCount % ROWS_PER_REPORT == 0) {
            progress.progressed(Stage.SAVE_ROWS, rowCount, 0);
        }
    }

    @Override
    public void lost(byte[] key, String why) {
        lostCount++;
        tell("row " + keyFormat.describe(key, key.length) + ": " + why);
    }

    @Override
    public void damage(int pageId, String why) {
        tell("page " + pageId + ": " + why);
    }

    private void tell(String loss) {
        if (losses.size() < SavedTable.LOSSES_MAX) {
            losses.add(loss);
        }
    }

    /** What became of the table. */
    SavedTable result() {
        List<KeyRanges.Range> missing = tree.holes().list();
        for (KeyRanges.Range range : missing) {
            tell("rows from " + (range.lower().length == 0 ? "the first" : describe(range.lower())) + " to "
                    + (range.upperOrNull() == null ? "the last" : "below " + describe(range.upperOrNull()))
                    + " were not found, because of " + range.why());
        }
        return new SavedTable(
                table.definition().name(),
                rowCount,
                scannedCount,
                oldCount,
                lostCount,
                tree.pagesLost(),
                missing.size(),
                losses);
    }

    private String describe(byte[] key) {
        return keyFormat.describe(key, key.length);
    }
}
