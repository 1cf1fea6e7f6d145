package dev.lockstep.bench.flame;

import dev.lockstep.bench.report.EmbeddedPage;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The flame graphs of an experiment's further runs, in the directory of its report. Used by one thread. */
public final class FlameGraphs {
    private final Path directory;
    private final List<EmbeddedPage> pages = new ArrayList<>();

    /** @param directory of the report, which exists */
    public FlameGraphs(Path directory) {
        this.directory = directory;
    }

    /**
     * Options of the JVM that draws a run. What an earlier report has left in its place is removed, so that it does not
     * pass for this one's.
     *
     * @param run what it is called in the report
     */
    public List<String> options(String run) throws IOException {
        Files.deleteIfExists(file(run));
        return FlameRun.options(file(run));
    }

    /**
     * Takes what a run has drawn, when its JVM has ended.
     *
     * @throws IOException if there is nothing
     */
    public void add(String run) throws IOException {
        Path file = file(run);
        pages.add(new EmbeddedPage("Flame graph of " + run, file.getFileName().toString(), Files.readString(file)));
    }

    /**
     * The file of a run that another command draws.
     *
     * @param run what it is called in the report
     */
    public Path file(String run) {
        return directory.resolve("flames-" + run.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".html");
    }

    /** The files as a table, and on a page the graphs themselves. */
    public Section section() {
        Table.Builder table = Table.of(2, List.of("flame graph", "file"));
        pages.forEach(page -> table.row(List.of(page.title(), page.file())));
        List<Part> parts = new ArrayList<>(List.of(table.build()));
        parts.addAll(pages);
        return new Section("Flame graphs, from further runs with the profiler", parts);
    }
}
