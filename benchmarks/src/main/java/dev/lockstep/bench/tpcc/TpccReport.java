package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.EmbeddedPage;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.Plot;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** A result as a report with plots. */
final class TpccReport {
    private static final double BYTES_PER_GIBI = 1 << 30;

    private TpccReport() {}

    /**
     * The report.
     *
     * @param directory where the flame graphs lie
     * @throws IOException if one of them cannot be read
     */
    static Report of(ExperimentReport result, Path directory) throws IOException {
        TpccSections text = new TpccSections(result);
        TpccPlots plots = new TpccPlots(text.byLabel(), text.typical());
        List<Section> sections = new ArrayList<>();
        List<Section> all = text.sections();
        for (Section section : all.subList(1, all.size())) {
            sections.add(
                    switch (section.heading()) {
                        case TpccSections.THROUGHPUT -> withFirst(plots.throughput(), section);
                        case TpccSections.LATENCY -> withFirst(plots.latencies(), section);
                        case TpccSections.TEAMS -> withFirst(plots.teams(), section);
                        case TpccSections.FLAME_GRAPHS ->
                            section.with(new ProcessorTimePlots(result.flameGraphs()).all())
                                    .with(flameGraphs(result, directory));
                        default -> section;
                    });
        }
        List<Verdict> doNotCount = result.simulations().stream()
                .map(SimulationCheck::verdict)
                .filter(verdict -> !verdict.counts())
                .toList();
        return new Report(
                text.title(),
                summary(result, doNotCount),
                result.ok() && doNotCount.isEmpty(),
                origin(result),
                configuration(result),
                sections);
    }

    private static String summary(ExperimentReport result, List<Verdict> doNotCount) {
        if (!result.ok()) {
            return "FAILED: a run was given up, or a check does not hold; the last section says which.";
        }
        return doNotCount.isEmpty()
                ? "All is well: every run ended, and every check holds."
                : "Every run ended, and every check holds, but figures COUNT FOR NOTHING: "
                        + doNotCount.stream().map(Verdict::line).collect(Collectors.joining(" "));
    }

    private static Section withFirst(List<Plot> plots, Section section) {
        return new Section(section.heading(), List.<Part>copyOf(plots)).with(section.parts());
    }

    private static List<EmbeddedPage> flameGraphs(ExperimentReport result, Path directory) throws IOException {
        List<EmbeddedPage> pages = new ArrayList<>();
        for (FlameGraphReport graph : result.flameGraphs()) {
            Path file = directory.resolve(graph.file());
            if (Files.exists(file)) {
                pages.add(new EmbeddedPage("Flame graph of " + graph.run(), graph.file(), Files.readString(file)));
            }
        }
        return pages;
    }

    private static Origin origin(ExperimentReport result) {
        return new Origin(
                "./lockstep " + String.join(" ", result.command()),
                result.gitCommit() == null ? "unknown" : result.gitCommit(),
                result.jvm(),
                result.machine().processor(),
                result.runs().getFirst().configuration().seed(),
                result.time());
    }

    private static String used(ExperimentReport result) {
        return result.runs().stream()
                .map(run -> run.configuration().cores() + ", " + run.pinning())
                .distinct()
                .collect(Collectors.joining("; "));
    }

    private static SequencedMap<String, String> configuration(ExperimentReport result) {
        RunSpec spec = result.runs().getFirst().configuration();
        Machine machine = result.machine();
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("command", "./lockstep " + String.join(" ", result.command()));
        settings.put("time", result.time());
        settings.put("Lockstep", result.lockstep());
        settings.put("commit", result.gitCommit() == null ? "unknown" : result.gitCommit());
        settings.put("JVM", result.jvm());
        settings.put("options of the child JVMs", String.join(" ", result.jvmFlags()));
        settings.put("processor", machine.processor());
        settings.put("processors", machine.processors() + ", of which used: " + used(result));
        settings.put("memory", String.format(Locale.ROOT, "%.1f GiB", machine.memoryBytes() / BYTES_PER_GIBI));
        settings.put("operating system", machine.operatingSystem());
        settings.put("transparent huge pages", machine.transparentHugePages());
        settings.put("warehouses", spec.warehouses() + (spec.shrink() == 1 ? "" : ", of each 1/" + spec.shrink()));
        settings.put("mix", spec.mix() + (spec.think() ? ", with keying and think times" : ", without think times"));
        settings.put("isolation", spec.isolation());
        settings.put("added to each fsync", spec.fsyncDelayMillis() + " ms");
        if (spec.sliceSeconds() > 0) {
            settings.put(
                    "turns in one JVM",
                    spec.sliceSeconds() + " s" + (spec.sharesDatabase() ? ", on one database" : ""));
        }
        settings.put(
                "repetitions",
                String.valueOf(
                        result.runs().stream().mapToInt(RunReport::repeat).max().orElse(1)));
        settings.put("seed", String.valueOf(spec.seed()));
        return settings;
    }
}
