package dev.lockstep.bench.files;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.Inspection;
import dev.lockstep.engine.Inspection.LogEnd;
import dev.lockstep.engine.Inspection.LogEntry;
import dev.lockstep.engine.Inspection.Overview;
import dev.lockstep.engine.Inspection.PageView;
import dev.lockstep.engine.Inspection.TreeView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows what lies in the files of a closed database. */
@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        description = "Shows what lies in the files of a closed database, whole or damaged: the files and their"
            + " headers, the checkpoint, the catalog, and the pages by tree and kind; or one page, the shape of one"
            + " tree, records of the log. What cannot be read is named. Nothing is changed and nothing recovered: of a"
            + " database that was not closed in order it shows what recovery has to begin with. Nothing here is at"
            + " random, so it takes no seed.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:everything that was asked for could be read",
            "1:something is damaged",
            "2:wrong call, no database, or it is open"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep inspect /var/lib/shop",
            "      Files, checkpoint, tables, and how many pages of which kind.",
            "  ./lockstep inspect /var/lib/shop --page 17",
            "      Page 17: its header, its slots, its keys by the columns of their table.",
            "  ./lockstep inspect /var/lib/shop --tree account.by_owner",
            "      The levels of an index, how full they are, and where it is broken.",
            "  ./lockstep inspect /var/lib/shop --log 4096 --limit 20 --json log.json",
            "      Twenty records of the log from LSN 4096 on, into a file as well."
        })
public final class InspectCommand implements Callable<Integer> {
    /** Entries of the log are kept for the JSON; a million of them take some hundred MiB. */
    private static final int LIMIT_MAX = 1_000_000;

    @Spec
    private CommandSpec command;

    @Mixin
    private DatabaseFiles files = new DatabaseFiles();

    @Option(names = "--page", paramLabel = "N", description = "Shows a page.")
    private Integer pageId;

    @Option(
            names = "--tree",
            paramLabel = "NAME",
            description = "Shows the shape of a tree: a table, table.index, the number of a tree, or catalog.")
    private String tree;

    @Option(
            names = "--log",
            paramLabel = "LSN",
            arity = "0..1",
            fallbackValue = "0",
            description = "Shows the log, from the first record at this position or behind it; without one, from the"
                    + " oldest record that is kept.")
    private Long fromLsn;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "Records of the log to show at most, up to 1,000,000. Default: ${DEFAULT-VALUE}.")
    private int limit;

    /** For picocli. */
    public InspectCommand() {}

    @Override
    public Integer call() throws IOException {
        if (limit < 1 || limit > LIMIT_MAX || (fromLsn != null && fromLsn < 0)) {
            throw new ParameterException(
                    command.commandLine(), "--limit is from 1 to 1,000,000, and a position of the log not negative.");
        }
        if (fromLsn == null && command.commandLine().getParseResult().hasMatchedOption("--limit")) {
            throw new ParameterException(command.commandLine(), "--limit is of records of the log: it needs --log.");
        }
        return files.exitCode((directory, out) -> {
            Map<String, Object> shown = new LinkedHashMap<>();
            try (Inspection inspection = Database.inspect(directory)) {
                boolean ok = show(inspection, new InspectionText(out), shown);
                files.writeJson(shown);
                return ok;
            }
        });
    }

    private boolean show(Inspection inspection, InspectionText text, Map<String, Object> shown) {
        boolean ok = true;
        if (pageId != null) {
            PageView page = inspection.page(pageId);
            shown.put("page", page);
            text.page(page);
            ok = page.isSound() && page.brokenRule().isEmpty();
        }
        if (tree != null) {
            TreeView view = inspection.tree(tree);
            shown.put("tree", view);
            text.tree(view);
            ok &= view.lostRanges().isEmpty();
        }
        if (fromLsn != null) {
            ok &= showLog(inspection, text, shown);
        }
        if (shown.isEmpty()) {
            Overview overview = inspection.overview();
            shown.put("overview", overview);
            text.overview(overview);
            ok = overview.damagedPageCount() == 0
                    && overview.problems().isEmpty()
                    && overview.files().stream().allMatch(file -> file.problem().isEmpty());
        }
        return ok;
    }

    private boolean showLog(Inspection inspection, InspectionText text, Map<String, Object> shown) {
        List<LogEntry> entries = new ArrayList<>();
        text.logHeader();
        LogEnd end = inspection.log(fromLsn, limit, entry -> {
            text.logEntry(entry);
            if (files.wantsJson()) {
                entries.add(entry);
            }
        });
        text.logEnd(end);
        shown.put("log", entries);
        shown.put("logEnd", end);
        return end.problem().isEmpty();
    }
}
