package dev.lockstep.engine.salvage;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Inspection.LogEntry;
import dev.lockstep.engine.btree.LoggedPages;
import dev.lockstep.engine.log.LogRecordView;
import java.util.ArrayList;
import java.util.List;

/** Shows records of the log. Not thread-safe. */
final class LogDecoder {
    private final KnownTrees trees;

    LogDecoder(KnownTrees trees) {
        this.trees = trees;
    }

    LogEntry entry(LogRecordView record) {
        List<String> pages = new ArrayList<>();
        String tree = "";
        String key = "";
        try {
            LoggedPages.visit(record, (what, pageId) -> pages.add(what + " " + pageId));
            if (LoggedPages.isLeafChange(record)) {
                int treeId = LoggedPages.treeId(record);
                tree = trees.describe(treeId);
                key = trees.key(treeId, LoggedPages.key(record));
            }
        } catch (CorruptionException | IndexOutOfBoundsException unreadable) {
            pages.add("not readable: " + unreadable.getMessage());
        }
        return new LogEntry(
                record.lsn(),
                LoggedPages.typeName(record),
                record.isCompensation(),
                record.transactionId(),
                record.previousLsn(),
                record.isCompensation() ? record.undoNextLsn() : 0,
                tree,
                pages,
                key,
                record.recordBytes(),
                record.bodyBytes());
    }
}
