package dev.lockstep.bench;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.process.SourceVersion;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.Plot;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.PointPlot;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Table;
import dev.lockstep.counters.CounterEvent;
import dev.lockstep.counters.CounterObstacle;
import dev.lockstep.counters.HardwareCounters;
import dev.lockstep.counters.Markers;
import dev.lockstep.counters.NativePart;
import dev.lockstep.counters.Topology;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * What this machine has to measure with, as {@code counters --json} writes it.
 *
 * @param time when it was asked, ISO 8601
 * @param lockstep version of this program
 * @param gitCommit commit that the classes were built from, with {@code -dirty} if changed; absent if unknown
 * @param jvm version of the JDK
 * @param machine where it was asked
 * @param counters of the hardware; absent if there are none
 * @param obstacles why there are none; empty if there are some
 * @param topology processors, caches and nodes; absent if the system does not tell
 * @param topologyObstacle why it does not; absent if it does
 * @param nativeParts why each native part cannot be used, or {@code there}
 * @param simulated whether this process runs in the simulator
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record CountersReport(
        String time,
        String lockstep,
        String gitCommit,
        String jvm,
        Machine machine,
        Counters counters,
        List<CounterObstacle> obstacles,
        Topology topology,
        String topologyObstacle,
        Map<NativePart, String> nativeParts,
        boolean simulated) {
    private static final String THERE = "there";
    private static final String NO_CACHES = "The system does not tell its caches.";
    private static final int BITS_PER_UNIT = 10;
    private static final List<String> UNITS = List.of("KiB", "MiB", "GiB", "TiB");

    /**
     * The hardware's counters.
     *
     * @param papi version of PAPI
     * @param ofProcessor counters of a processor, each for one event at a time; more events take turns
     * @param countable the events that can be counted, each with PAPI's name of what counts it
     * @param uncountable the events that cannot, each with what PAPI says about it
     */
    record Counters(
            String papi, int ofProcessor, Map<CounterEvent, String> countable, Map<CounterEvent, String> uncountable) {}

    static CountersReport here() {
        Counters counters = null;
        List<CounterObstacle> obstacles = List.of();
        switch (HardwareCounters.open()) {
            case HardwareCounters.Result.Available(HardwareCounters found) ->
                counters = new Counters(
                        found.papiVersion(), found.countersOfProcessor(), found.countable(), found.uncountable());
            case HardwareCounters.Result.Missing(List<CounterObstacle> found) -> obstacles = found;
        }
        Topology topology = null;
        String topologyObstacle = null;
        switch (Topology.read()) {
            case Topology.Result.Known(Topology found) -> topology = found;
            case Topology.Result.Unknown(String reason) -> topologyObstacle = reason;
        }
        Map<NativePart, String> nativeParts = new EnumMap<>(NativePart.class);
        for (NativePart part : NativePart.values()) {
            nativeParts.put(part, part.find() instanceof NativePart.Result.Missing(String reason) ? reason : THERE);
        }
        return new CountersReport(
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                BuildVersion.version(),
                SourceVersion.commit().orElse(null),
                Runtime.version().toString(),
                Machine.here(),
                counters,
                obstacles,
                topology,
                topologyObstacle,
                nativeParts,
                Markers.isSimulated());
    }

    /** What is printed. */
    String text() {
        StringBuilder text = new StringBuilder();
        text.append(machine.processor())
                .append(", ")
                .append(machine.operatingSystem())
                .append("\n\n");
        appendCounters(text);
        appendTopology(text);
        text.append("\nNative parts\n");
        nativeParts.forEach((part, state) -> text.append("  ")
                .append(part.library())
                .append(": ")
                .append(state)
                .append('\n'));
        text.append(simulated ? "  This process runs in the simulator.\n" : "");
        return text.toString();
    }

    private void appendCounters(StringBuilder text) {
        text.append("Hardware counters\n");
        if (counters == null) {
            text.append("  none\n");
            obstacles.forEach(
                    obstacle -> text.append("  ").append(obstacle.reason()).append('\n'));
            return;
        }
        text.append("  ").append(countersInWords()).append('\n').append(indented(events()));
    }

    private String countersInWords() {
        return String.format(Locale.ROOT, "%d a processor, read by PAPI %s", counters.ofProcessor(), counters.papi());
    }

    private Table events() {
        Table.Builder table = Table.of(2, "event", "counted by");
        counters.countable().forEach((event, name) -> table.row(List.of(event.label(), name)));
        counters.uncountable().forEach((event, said) -> table.row(List.of(event.label(), "not: " + said)));
        return table.build();
    }

    private void appendTopology(StringBuilder text) {
        text.append("\nTopology\n");
        if (topology == null) {
            text.append("  ").append(topologyObstacle).append('\n');
            return;
        }
        text.append("  ").append(topologyInWords()).append("\n\n");
        text.append(indented(processors())).append('\n');
        if (topology.caches().isEmpty()) {
            text.append("  ").append(NO_CACHES).append('\n');
        } else {
            text.append(indented(caches()));
        }
        if (!topology.nodes().isEmpty()) {
            text.append('\n').append(indented(nodes()));
        }
    }

    private String topologyInWords() {
        return count(topology.packages(), "package") + ", " + count(topology.cores(), "core") + ", "
                + count(topology.processors().size(), "processor") + ", "
                + count(topology.nodes().size(), "memory node");
    }

    private static String indented(Table table) {
        return table.text().lines().map(line -> "  " + line + "\n").collect(Collectors.joining());
    }

    private Table processors() {
        Table.Builder table = Table.of(1, "processor", "core", "package", "node", "shares its core");
        for (Topology.Processor processor : topology.processors()) {
            table.row(List.of(
                    Integer.toString(processor.number()),
                    number(processor.core()),
                    number(processor.packageNumber()),
                    number(processor.node()),
                    others(processor)));
        }
        return table.build();
    }

    private Table caches() {
        Table.Builder table = Table.of(1, "cache", "size", "ways", "line", "processors");
        for (Topology.Cache cache : topology.caches()) {
            table.row(List.of(
                    name(cache),
                    size(cache.geometry().bytes()),
                    cache.geometry().ways() == 0
                            ? "not told"
                            : Integer.toString(cache.geometry().ways()),
                    cache.geometry().lineBytes() == 0
                            ? "not told"
                            : cache.geometry().lineBytes() + " B",
                    list(cache.processors())));
        }
        return table.build();
    }

    private static String name(Topology.Cache cache) {
        String kind =
                switch (cache.kind()) {
                    case INSTRUCTION -> "-I";
                    case DATA -> "-D";
                    case UNIFIED -> "";
                };
        return "L" + cache.level() + kind;
    }

    private Table nodes() {
        Table.Builder table = Table.of(1, "node", "memory", "processors", "distances");
        for (Topology.Node node : topology.nodes()) {
            table.row(List.of(
                    Integer.toString(node.number()),
                    node.memoryBytes() == 0 ? "not told" : size(node.memoryBytes()),
                    node.processors().isEmpty() ? "none" : list(node.processors()),
                    node.distances().isEmpty() ? "not told" : list(node.distances())));
        }
        return table.build();
    }

    /** The same as a page with a plot. */
    Report page(Origin origin) {
        List<Section> sections = new ArrayList<>();
        if (counters == null) {
            sections.add(new Section(
                    "Hardware counters",
                    obstacles.stream()
                            .<Part>map(obstacle -> new Paragraph(obstacle.reason()))
                            .toList()));
        } else {
            sections.add(Section.of("Hardware counters", new Paragraph(countersInWords() + "."), events()));
        }
        if (topology == null) {
            sections.add(Section.of("Topology", new Paragraph(topologyObstacle)));
        } else {
            sections.add(Section.of("Processors", new Paragraph(topologyInWords() + "."), processors()));
            sections.add(
                    topology.caches().isEmpty()
                            ? Section.of("Caches", new Paragraph(NO_CACHES))
                            : Section.of("Caches", capacities(), caches()));
        }
        if (topology != null && !topology.nodes().isEmpty()) {
            sections.add(Section.of("Memory nodes", nodes()));
        }
        Table.Builder parts = Table.of(2, "native part", "state");
        nativeParts.forEach((part, state) -> parts.row(List.of(part.library(), state)));
        sections.add(Section.of("Native parts", parts.build()));
        SequencedMap<String, String> configuration = new LinkedHashMap<>();
        configuration.put("command", origin.command());
        configuration.put("time", time);
        configuration.put("Lockstep", lockstep);
        configuration.put("commit", origin.commit());
        configuration.put("JVM", jvm);
        configuration.put("processor", machine.processor());
        configuration.put("operating system", machine.operatingSystem());
        configuration.put("in the simulator", simulated ? "yes" : "no");
        return new Report(
                "What this machine has to measure with",
                counters == null
                        ? "There are no hardware counters here; the simulator does without."
                        : "Hardware counters: " + countersInWords() + ".",
                true,
                origin,
                configuration,
                sections);
    }

    /** Of each cache that a processor has or shares, the first of its kind. */
    private Plot capacities() {
        SequencedMap<String, Double> kibibytes = new LinkedHashMap<>();
        for (Topology.Cache cache : topology.caches()) {
            kibibytes.putIfAbsent(name(cache), cache.geometry().bytes() / (double) (1 << BITS_PER_UNIT));
        }
        return new PointPlot(
                new PlotFrame(
                        "caches",
                        "Capacities of the caches",
                        "The first of each kind; a processor may share it with others, see the table.",
                        "cache",
                        "KiB, logarithmic",
                        true),
                List.copyOf(kibibytes.keySet()),
                List.of(new Series("capacity", List.copyOf(kibibytes.values()))));
    }

    private static String others(Topology.Processor processor) {
        List<Integer> others = processor.siblings().stream()
                .filter(number -> number != processor.number())
                .toList();
        return others.isEmpty() ? "alone" : "with " + list(others);
    }

    private static String number(int number) {
        return number == Topology.UNKNOWN ? "not told" : Integer.toString(number);
    }

    private static String list(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }

    /** In the largest unit that it fills, exactly where it can be. */
    private static String size(long bytes) {
        int unit = 0;
        while (unit < UNITS.size() - 1 && bytes >> (BITS_PER_UNIT * (unit + 2)) > 0) {
            unit++;
        }
        double number = bytes / (double) (1L << (BITS_PER_UNIT * (unit + 1)));
        return String.format(Locale.ROOT, number == Math.rint(number) ? "%.0f %s" : "%.1f %s", number, UNITS.get(unit));
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
