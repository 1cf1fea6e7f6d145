package dev.lockstep.bench.files;

import dev.lockstep.bench.report.Table;
import dev.lockstep.engine.Inspection.CatalogEntry;
import dev.lockstep.engine.Inspection.CheckpointView;
import dev.lockstep.engine.Inspection.DamagedPage;
import dev.lockstep.engine.Inspection.DatabaseFile;
import dev.lockstep.engine.Inspection.LogEnd;
import dev.lockstep.engine.Inspection.LogEntry;
import dev.lockstep.engine.Inspection.LostRange;
import dev.lockstep.engine.Inspection.Overview;
import dev.lockstep.engine.Inspection.PageGroup;
import dev.lockstep.engine.Inspection.PageView;
import dev.lockstep.engine.Inspection.Slot;
import dev.lockstep.engine.Inspection.TreeLevel;
import dev.lockstep.engine.Inspection.TreeView;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Prints what an inspection has found, for people. Used by one thread. */
final class InspectionText {
    private final PrintWriter out;

    InspectionText(PrintWriter out) {
        this.out = out;
    }

    private static String figure(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String percent(double part) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * part);
    }

    private void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }

    void overview(Overview overview) {
        line(
                "%,d pages. %s",
                overview.pages(),
                overview.closedInOrder()
                        ? "Closed in order."
                        : "Not closed in order: opening it recovers what is not in the pages yet.");
        Table.Builder files = Table.of(2, "file", "format", "bytes", "parameter");
        for (DatabaseFile file : overview.files()) {
            files.row(List.of(file.name(), file.format(), figure(file.sizeBytes()), figure(file.parameter())));
        }
        section("Files", files);
        checkpoint(overview.checkpoint());
        Table.Builder catalog = Table.of(4, "tree", "key", "columns", "state", "number", "root page");
        for (CatalogEntry entry : overview.catalog()) {
            catalog.row(List.of(
                    entry.name(),
                    String.join(", ", entry.key()),
                    entry.state().isEmpty() ? String.join(", ", entry.columns()) : "",
                    entry.state(),
                    figure(entry.treeId()),
                    figure(entry.rootPageId())));
        }
        section("Catalog", catalog);
        Table.Builder groups = Table.of(2, "tree", "kind", "pages", "records", "ghosts", "fill");
        for (PageGroup group : overview.groups()) {
            groups.row(List.of(
                    group.tree(),
                    group.kind(),
                    figure(group.count()),
                    figure(group.records()),
                    figure(group.ghosts()),
                    group.fill() == 0 ? "" : percent(group.fill())));
        }
        section("Pages", groups);
        damage(overview);
    }

    private void checkpoint(CheckpointView checkpoint) {
        out.println();
        if (checkpoint == null) {
            out.println("The checkpoint cannot be read.");
            return;
        }
        line(
                "Checkpoint: recovery begins at LSN %d and needs the log up to %d; %,d of %,d pages in use, LSNs of %,d"
                        + " kept apart; next transaction %d, next tree %d.",
                checkpoint.redoScanLsn(),
                checkpoint.durableLsn(),
                checkpoint.pagesInUse(),
                checkpoint.allocatedPages(),
                checkpoint.pagesWithKnownLsn(),
                checkpoint.nextTransactionId(),
                checkpoint.nextTreeId());
    }

    private void damage(Overview overview) {
        out.println();
        for (DatabaseFile file : overview.files()) {
            if (!file.problem().isEmpty()) {
                out.println(file.name() + ": " + file.problem());
            }
        }
        overview.problems().forEach(out::println);
        for (DamagedPage page : overview.damagedPages()) {
            out.println("page " + page.pageId() + ": " + page.problem());
        }
        int more = overview.damagedPageCount() - overview.damagedPages().size();
        if (more > 0) {
            line("and %,d further pages", more);
        }
        line("%,d damaged pages.", overview.damagedPageCount());
    }

    void page(PageView page) {
        line("Page %d: %s, %s.", page.pageId(), page.kind(), page.isSound() ? "sound" : "not sound: " + page.state());
        line(
                "Says that it is page %d of tree %d%s. LSN %d, at least %d known. Checksum %s.",
                page.pageIdInPage(),
                page.treeId(),
                page.tree().isEmpty() ? "" : " (" + page.tree() + ")",
                page.lsn(),
                page.lsnAtLeast(),
                page.checksum());
        if (!page.brokenRule().isEmpty()) {
            out.println("It does not hold that " + page.brokenRule() + ".");
        }
        if (page.nextPageId() != 0) {
            line("%s: page %d.", page.slots().isEmpty() ? "Next of its chain" : "Last child", page.nextPageId());
        }
        if (page.slots().isEmpty()) {
            return;
        }
        line(
                "Level %d, keys from %s to %s, %,d slots, %,d bytes free.",
                page.level(),
                page.lowerFence().isEmpty() ? "the first" : page.lowerFence(),
                page.upperFence().isEmpty() ? "the last" : "below " + page.upperFence(),
                page.slots().size(),
                page.freeBytes());
        boolean isLeaf = page.level() == 0;
        Table.Builder slots = isLeaf
                ? Table.of(2, "key", "state", "slot", "key bytes", "value bytes", "transaction")
                : Table.of(2, "key", "state", "slot", "key bytes", "child");
        for (int i = 0; i < page.slots().size(); i++) {
            Slot slot = page.slots().get(i);
            String state = (slot.isGhost() ? "deleted " : "") + (slot.isOverflow() ? "overflow" : "");
            slots.row(
                    isLeaf
                            ? List.of(
                                    slot.key(),
                                    state.strip(),
                                    figure(i),
                                    figure(slot.keyBytes()),
                                    figure(slot.valueBytes()),
                                    figure(slot.version()))
                            : List.of(slot.key(), "", figure(i), figure(slot.keyBytes()), figure(slot.child())));
        }
        section("Slots", slots);
    }

    void tree(TreeView tree) {
        line(
                "Tree %s, number %d, root page %d: %,d records, %,d ghosts, %,d values in overflow pages.",
                tree.name(), tree.treeId(), tree.rootPageId(), tree.records(), tree.ghosts(), tree.overflowValues());
        Table.Builder levels = Table.of(0, "level", "nodes", "slots", "slots a node", "fill");
        for (TreeLevel level : tree.levels()) {
            levels.row(List.of(
                    figure(level.level()),
                    figure(level.nodes()),
                    figure(level.slots()),
                    figure(level.slots() / level.nodes()),
                    percent(level.fill())));
        }
        section("Levels", levels);
        for (LostRange range : tree.lostRanges()) {
            line(
                    "Keys from %s to %s are not reached: page %d: %s.",
                    range.from().isEmpty() ? "the first" : range.from(),
                    range.to().isEmpty() ? "the last" : "below " + range.to(),
                    range.pageId(),
                    range.why());
        }
    }

    void logHeader() {
        out.println("LSN type transaction bytes (body) previous tree key pages");
    }

    void logEntry(LogEntry entry) {
        StringBuilder line = new StringBuilder();
        line.append(entry.lsn()).append(' ').append(entry.type());
        if (entry.isCompensation()) {
            line.append(" compensates, next ").append(entry.undoNextLsn());
        }
        line.append(" transaction=").append(entry.transactionId());
        line.append(" bytes=").append(entry.recordBytes());
        line.append(" (").append(entry.bodyBytes()).append(')');
        line.append(" previous=").append(entry.previousLsn());
        if (!entry.tree().isEmpty()) {
            line.append(' ').append(entry.tree()).append(' ').append(entry.key());
        }
        if (!entry.pages().isEmpty()) {
            line.append(": ").append(String.join(", ", entry.pages()));
        }
        out.println(line);
    }

    void logEnd(LogEnd end) {
        line("%,d records from LSN %d to %d.", end.records(), end.fromLsn(), end.endLsn());
        if (!end.problem().isEmpty()) {
            out.println(end.problem());
        }
    }

    private void section(String title, Table.Builder table) {
        out.println();
        out.println(title);
        out.print(table.build().text());
    }
}
