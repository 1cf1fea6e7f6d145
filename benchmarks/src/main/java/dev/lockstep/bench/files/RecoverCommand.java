package dev.lockstep.bench.files;

import dev.lockstep.bench.report.Table;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.SalvageReport;
import dev.lockstep.engine.SalvageReport.LogUse;
import dev.lockstep.engine.SalvageReport.SavedTable;
import dev.lockstep.engine.SalvageReport.UnknownTree;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Saves what is readable of a damaged database into a new one. */
@Command(
        name = "recover",
        mixinStandardHelpOptions = true,
        description = "Saves what is readable of a damaged database into a new, sound one: the rows of all pages that"
                + " can be read, whether their tree still leads to them or not, with the log where that can be read;"
                + " indexes are built anew. The damaged database is only read. A database that was merely not closed in"
                + " order needs no such thing: opening it recovers it. Nothing here is at random, so it takes no seed.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every row is saved",
            "1:something is lost, or may be; what was saved is a sound database all the same",
            "2:wrong call, no database, it is open, or the new directory is not empty"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep recover /var/lib/shop --to /var/lib/shop-saved",
            "      Saves, and prints what was saved of each table and what is lost, and why.",
            "  ./lockstep recover /var/lib/shop --to /tmp/saved --json saved.json",
            "      Writes that into a file as well."
        })
public final class RecoverCommand implements Callable<Integer> {
    @Mixin
    private DatabaseFiles files = new DatabaseFiles();

    @Option(
            names = "--to",
            paramLabel = "DIR",
            required = true,
            description = "The directory of the new one: it does not exist, or is empty.")
    private Path target;

    /** For picocli. */
    public RecoverCommand() {}

    @Override
    public Integer call() throws IOException {
        files.requireOutside("--to", target);
        files.requireJsonOutside(target);
        return files.exitCode((directory, out) -> {
            SalvageReport report = Database.salvage(directory, target, files.progress());
            print(report, out);
            files.writeJson(report);
            return report.isComplete();
        });
    }

    private static String figure(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static void print(SalvageReport report, PrintWriter out) {
        Table.Builder tables = Table.of(
                1,
                "table",
                "rows saved",
                "of leaves nothing led to",
                "perhaps old",
                "rows lost",
                "pages lost",
                "ranges lost");
        for (SavedTable table : report.tables()) {
            tables.row(List.of(
                    table.name(),
                    figure(table.rows()),
                    figure(table.rowsFoundByScan()),
                    figure(table.rowsPerhapsOld()),
                    figure(table.rowsLost()),
                    figure(table.pagesLost()),
                    figure(table.rangesLost())));
        }
        out.print(tables.build().text());
        for (SavedTable table : report.tables()) {
            table.losses().forEach(loss -> out.println(table.name() + ": " + loss));
        }
        if (!report.catalogComplete()) {
            out.println("A part of the catalog is lost, and with it the columns of tables that it named.");
        }
        for (UnknownTree tree : report.unknownTrees()) {
            out.println(String.format(
                    Locale.ROOT,
                    "%,d pages with %,d records of tree %d were found, which no table or index is known for.",
                    tree.leafPages(),
                    tree.records(),
                    tree.treeId()));
        }
        printLog(report.log(), out);
        report.problems().forEach(out::println);
        out.println(String.format(
                Locale.ROOT,
                "%,d rows saved; %,d of %,d pages were damaged. %s",
                report.rows(),
                report.damagedPages(),
                report.pages(),
                report.isComplete() ? "Nothing is lost." : "Something is lost, or may be."));
    }

    private static void printLog(LogUse log, PrintWriter out) {
        if (!log.problem().isEmpty()) {
            out.println("Log: " + log.problem());
        }
        if (log.isNeeded() && !log.isComplete()) {
            out.println(
                    "The database was not closed in order and its log is not whole: rows may be of an earlier state,"
                            + " or of transactions that had not committed.");
        }
        if (log.rolledBackTransactions() > 0) {
            out.println(String.format(
                    Locale.ROOT,
                    "Changes of %,d transactions that had not committed were left out.",
                    log.rolledBackTransactions()));
        }
    }
}
