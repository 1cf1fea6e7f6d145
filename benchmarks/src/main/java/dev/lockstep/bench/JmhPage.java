package dev.lockstep.bench;

import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.EmbeddedPage;
import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.Plot;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.RangePlot;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.util.Statistics;

/** The result of one call of {@code jmh} as a report with plots. */
final class JmhPage {
    private static final double MEDIAN = 50;
    private static final String PAGE_EXTENSION = ".html";

    private JmhPage() {}

    /**
     * The report.
     *
     * @param origin of the figures
     * @param results at least one
     * @param directory of the report
     * @param flames directory of flame graphs below it
     * @param event that they were sampled by; empty if there are none
     * @param verdicts how far to believe simulated forks; empty where none was simulated
     * @throws IOException if one of them cannot be read
     */
    static Report of(
            Origin origin,
            Collection<RunResult> results,
            Path directory,
            Path flames,
            String event,
            List<Verdict> verdicts)
            throws IOException {
        List<Section> sections = new ArrayList<>();
        if (!verdicts.isEmpty()) {
            sections.add(new Section(
                    "How far to believe these figures",
                    verdicts.stream()
                            .<Part>map(verdict -> new Paragraph(verdict.line()))
                            .toList()));
        }
        boolean count = verdicts.stream().allMatch(Verdict::counts);
        sections.add(new Section("Scores", scores(results)));
        Table secondary = secondary(results);
        if (!secondary.rows().isEmpty()) {
            sections.add(Section.of("What profilers found", secondary));
        }
        List<EmbeddedPage> pages = event.isEmpty() ? List.of() : pages(directory, flames);
        if (!pages.isEmpty()) {
            sections.add(Section.of(
                            "Flame graphs, from further runs with the profiler",
                            new Paragraph("Sampled by async-profiler's event " + event + "."))
                    .with(pages));
        }
        return new Report(
                "JMH: " + results.size() + (results.size() == 1 ? " benchmark" : " benchmarks"),
                count
                        ? "All benchmarks ran."
                        : "All benchmarks ran, but figures COUNT FOR NOTHING; see the first section.",
                count,
                origin,
                configuration(origin, results),
                sections);
    }

    private static List<Part> scores(Collection<RunResult> results) {
        boolean byMode = hasSeveralModes(results);
        Map<String, List<RangePlot.Bar>> byUnit = new TreeMap<>();
        Table.Builder table = Table.of(2, "benchmark", "mode", "score", "error (99.9 %)", "unit", "iterations");
        for (RunResult result : results) {
            Result<?> score = result.getPrimaryResult();
            Statistics values = score.getStatistics();
            table.row(List.of(
                    label(result.getParams(), false),
                    result.getParams().getMode().longLabel(),
                    Figures.plain(score.getScore()),
                    Figures.plain(score.getScoreError()),
                    score.getScoreUnit(),
                    String.valueOf(score.getSampleCount())));
            if (values.getN() > 0 && !Double.isNaN(values.getMax())) {
                byUnit.computeIfAbsent(score.getScoreUnit(), unit -> new ArrayList<>())
                        .add(new RangePlot.Bar(
                                label(result.getParams(), byMode),
                                values.getMin(),
                                Math.clamp(values.getPercentile(MEDIAN), values.getMin(), values.getMax()),
                                values.getMax()));
            }
        }
        List<Part> parts = new ArrayList<>();
        byUnit.forEach((unit, bars) -> parts.add(plot(unit, bars)));
        parts.add(table.build());
        return parts;
    }

    private static Plot plot(String unit, List<RangePlot.Bar> bars) {
        String name =
                unit.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        return new RangePlot(
                new PlotFrame(
                        "scores-" + (name.isEmpty() ? "other" : name),
                        "Scores",
                        "Medians of all measured iterations, with lines from the least to the greatest.",
                        "benchmark",
                        unit,
                        false),
                bars);
    }

    private static Table secondary(Collection<RunResult> results) {
        boolean byMode = hasSeveralModes(results);
        Table.Builder table = Table.of(2, "benchmark", "figure", "value", "error (99.9 %)", "unit");
        for (RunResult result : results) {
            new TreeMap<>(result.getSecondaryResults()).forEach((name, value) -> {
                if (!Double.isNaN(value.getScore())) {
                    table.row(List.of(
                            label(result.getParams(), byMode),
                            name,
                            Figures.plain(value.getScore()),
                            Figures.plain(value.getScoreError()),
                            value.getScoreUnit()));
                }
            });
        }
        return table.build();
    }

    private static boolean hasSeveralModes(Collection<RunResult> results) {
        return results.stream()
                        .map(result -> result.getParams().getMode())
                        .distinct()
                        .count()
                > 1;
    }

    /** The class without "Benchmark", the method, the parameters, and the mode if asked for. */
    static String label(BenchmarkParams benchmark, boolean byMode) {
        String[] names = benchmark.getBenchmark().split("\\.");
        String type = names[names.length - 2];
        String suffix = "Benchmark";
        String name = (type.endsWith(suffix) ? type.substring(0, type.length() - suffix.length()) : type) + "."
                + names[names.length - 1];
        return Stream.of(
                        Stream.of(name),
                        benchmark.getParamsKeys().stream().map(key -> key + "=" + benchmark.getParam(key)),
                        byMode ? Stream.of(benchmark.getMode().shortLabel()) : Stream.<String>empty())
                .flatMap(part -> part)
                .collect(Collectors.joining(" "));
    }

    private static List<EmbeddedPage> pages(Path directory, Path flames) throws IOException {
        if (!Files.isDirectory(flames)) {
            return List.of();
        }
        List<EmbeddedPage> pages = new ArrayList<>();
        try (Stream<Path> files = Files.walk(flames)) {
            for (Path file : files.filter(page -> page.toString().endsWith(PAGE_EXTENSION))
                    .sorted()
                    .toList()) {
                pages.add(new EmbeddedPage(
                        "Flame graph of " + file.getParent().getFileName(),
                        directory.relativize(file).toString(),
                        Files.readString(file)));
            }
        }
        return pages;
    }

    private static SequencedMap<String, String> configuration(Origin origin, Collection<RunResult> results) {
        BenchmarkParams first = results.iterator().next().getParams();
        Machine machine = Machine.here();
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("command", origin.command());
        settings.put("time", origin.time());
        settings.put("Lockstep", BuildVersion.version());
        settings.put("commit", origin.commit());
        settings.put("JVM of the benchmarks", first.getVmName() + " " + first.getVmVersion());
        settings.put("its options", String.join(" ", first.getJvmArgs()));
        settings.put("processor", machine.processor());
        settings.put("processors", String.valueOf(machine.processors()));
        settings.put("operating system", machine.operatingSystem());
        settings.put("JVMs of each benchmark", String.valueOf(first.getForks()));
        settings.put(
                "iterations",
                first.getMeasurement().getCount() + " of "
                        + first.getMeasurement().getTime() + ", after "
                        + first.getWarmup().getCount() + " of "
                        + first.getWarmup().getTime());
        settings.put("seed", String.valueOf(origin.seed()));
        return settings;
    }
}
