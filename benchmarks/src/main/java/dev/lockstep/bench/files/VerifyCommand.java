package dev.lockstep.bench.files;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.VerificationReport;
import dev.lockstep.engine.VerificationReport.Finding;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says whether the files of a closed database are whole. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        description = "Checks the files of a closed database and names every broken page: wrong checksums, pages that"
            + " lie where others belong, writes that the disk has lost, LSNs behind the end of the log, broken rules"
            + " of trees, pages reached twice or not at all, and damage to the log. Nothing is changed. Nothing here"
            + " is at random, so it takes no seed. A database that was not closed in order has its pages and its log"
            + " checked; its trees are whole only after recovery, which opening it does.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:nothing is wrong", "1:something is", "2:wrong call, no database, or it is open"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep verify /var/lib/shop",
            "      Prints what is wrong, a line for each page.",
            "  ./lockstep verify /var/lib/shop --json findings.json",
            "      Writes it into a file as well."
        })
public final class VerifyCommand implements Callable<Integer> {
    @Mixin
    private DatabaseFiles files = new DatabaseFiles();

    /** For picocli. */
    public VerifyCommand() {}

    @Override
    public Integer call() throws IOException {
        return files.exitCode((directory, out) -> {
            VerificationReport report = Database.verify(directory, files.progress());
            print(report, out);
            files.writeJson(report);
            return report.ok();
        });
    }

    private static void print(VerificationReport report, PrintWriter out) {
        for (Finding finding : report.findings()) {
            String page = finding.pageId() == VerificationReport.NO_PAGE ? "" : " page " + finding.pageId();
            out.println(finding.kind() + page + ": " + finding.what());
        }
        if (report.needsRecovery()) {
            out.println(String.format(
                    Locale.ROOT,
                    "Not closed in order: %,d pages and %,d log records were checked, trees were not.%s",
                    report.pages(),
                    report.logRecords(),
                    report.isLost() ? "" : " Open the database once, which recovers it, close it and verify again."));
        } else {
            out.println(String.format(
                    Locale.ROOT,
                    "%,d pages, %,d of them in use by %,d trees with %,d records.",
                    report.pages(),
                    report.pagesInUse(),
                    report.trees(),
                    report.records()));
        }
        out.println(verdict(report.findings().size()));
    }

    private static String verdict(int findingCount) {
        return switch (findingCount) {
            case 0 -> "Nothing is wrong.";
            case 1 -> "1 finding.";
            default -> String.format(Locale.ROOT, "%,d findings.", findingCount);
        };
    }
}
