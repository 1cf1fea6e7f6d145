package dev.lockstep.bench.simulate;

import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Plot;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** The plots of one simulated process. Immutable. */
final class SimulationPlots {
    private static final String OBSERVE = "observe=";
    private static final String UNIT = "misses for 1,000 instructions";

    /** Groups of bars that leave their names readable. */
    private static final int OPERATIONS_MAX = 20;

    private static final double PERCENT = 100;

    private final List<String> machine;
    private final SimulatedProcess process;
    private final SimulationResult.Phase phase;
    private final String prefix;

    /**
     * For the phase of a process that is reported.
     *
     * @param machine lines of the simulated machine's file
     * @param prefix of the plots' names, in which those of one report differ
     */
    SimulationPlots(List<String> machine, SimulatedProcess process, String prefix) {
        this.machine = machine;
        this.process = process;
        this.phase = process.result().reported();
        this.prefix = prefix;
    }

    /** A miss of one geometry. */
    private record Point(CacheShape shape, double misses) {
        String ways() {
            return shape.ways() == 1
                    ? "direct"
                    : shape.ways() == shape.bytes() / shape.lineBytes() ? "full" : shape.ways() + " ways";
        }
    }

    /** All there are figures for. */
    List<Plot> all() {
        List<Plot> plots = new ArrayList<>();
        curves(plots);
        classes(plots);
        time(plots);
        operations(plots);
        return plots;
    }

    private void curves(List<Plot> plots) {
        Map<String, List<Point>> byLevel = new TreeMap<>();
        SimulationResult.Counts total = phase.total();
        total.levels().forEach((level, counts) -> shape(level + "=")
                .forEach(shape -> byLevel.computeIfAbsent(level, l -> new ArrayList<>())
                        .add(new Point(shape, total.perThousandInstructions(counts.misses())))));
        List<String> observers =
                machine.stream().filter(line -> line.startsWith(OBSERVE)).toList();
        for (int i = 0; i < observers.size() && i < total.observerMisses().size(); i++) {
            String observer = observers.get(i).substring(OBSERVE.length());
            int colon = observer.indexOf(':');
            byLevel.computeIfAbsent(observer.substring(0, colon), l -> new ArrayList<>())
                    .add(new Point(
                            CacheShape.parse(observer.substring(colon + 1)),
                            total.perThousandInstructions(total.observerMisses().get(i))));
        }
        byLevel.forEach((level, points) -> {
            if (points.size() > 1) {
                plots.add(curve(level, points));
            }
        });
    }

    private Stream<CacheShape> shape(String key) {
        return machine.stream()
                .filter(line -> line.startsWith(key))
                .map(line -> CacheShape.parse(line.substring(key.length())))
                .limit(1);
    }

    private Plot curve(String level, List<Point> points) {
        Set<Long> capacities = new TreeSet<>();
        Set<Integer> lines = new TreeSet<>();
        for (Point point : points) {
            capacities.add(point.shape().bytes());
            lines.add(point.shape().lineBytes());
        }
        List<Point> sorted = points.stream()
                .sorted(Comparator.comparingInt((Point point) -> point.shape().lineBytes())
                        .thenComparingLong(point -> point.shape().ways()))
                .toList();
        Set<String> names = new LinkedHashSet<>();
        sorted.forEach(point -> names.add(name(point, lines.size() > 1)));
        List<Series> series = names.stream()
                .limit(Series.COUNT_MAX)
                .map(name -> new Series(
                        name,
                        capacities.stream()
                                .map(bytes -> sorted.stream()
                                        .filter(point -> point.shape().bytes() == bytes
                                                && name(point, lines.size() > 1).equals(name))
                                        .map(Point::misses)
                                        .findFirst()
                                        .orElse(Double.NaN))
                                .toList()))
                .toList();
        return new LinePlot(
                new PlotFrame(
                        prefix + "misses-" + level,
                        "Misses of " + level + " by geometry",
                        "Each point is a cache that saw the same accesses in the same run"
                                + (names.size() > series.size() ? "; further associativities stand in the JSON." : "."),
                        "capacity, bytes",
                        UNIT,
                        false),
                capacities.stream().map(SimulationPlots::capacity).toList(),
                series);
    }

    private static String name(Point point, boolean withLine) {
        return point.ways() + (withLine ? ", lines of " + point.shape().lineBytes() : "");
    }

    private static String capacity(long bytes) {
        String text = new CacheShape(bytes, 1, CacheShape.LINE_BYTES_MIN).text();
        return text.substring(0, text.indexOf(','));
    }

    private void classes(List<Plot> plots) {
        Map<String, SimulationResult.LevelCounts> levels =
                new TreeMap<>(phase.total().levels());
        levels.values().removeIf(counts -> counts.classes() == null);
        Set<String> classes = new LinkedHashSet<>();
        levels.values().forEach(counts -> classes.addAll(counts.classes().keySet()));
        if (classes.isEmpty() || classes.size() > Series.COUNT_MAX) {
            return;
        }
        plots.add(new BarPlot(
                new PlotFrame(
                        prefix + "miss-classes",
                        "Classes of misses",
                        "Sharing is decided when a line's lifetime ends, by words of 4 bytes.",
                        "cache",
                        UNIT,
                        false),
                true,
                List.copyOf(levels.keySet()),
                classes.stream()
                        .map(name -> new Series(
                                words(name),
                                levels.values().stream()
                                        .map(counts -> phase.total()
                                                .perThousandInstructions(
                                                        counts.classes().getOrDefault(name, 0L)))
                                        .toList()))
                        .toList()));
    }

    /** {@code trueSharing} as {@code true sharing}. */
    private static String words(String name) {
        return name.replaceAll("(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    }

    /** Where the cycles went: of all, and of what has names. */
    private void time(List<Plot> plots) {
        SimulationResult.Counts total = phase.total();
        if (total.cycles() <= total.instructions()) {
            return;
        }
        List<SimulatedProcess.Named> bars = new ArrayList<>(List.of(new SimulatedProcess.Named("all", total)));
        bars.addAll(process.byContext(phase));
        List<SimulatedProcess.Named> operations = process.byOperation(phase);
        if (operations.size() > 1) {
            bars.addAll(operations);
        }
        bars = distinct(bars).stream().limit(OPERATIONS_MAX).toList();
        plots.add(new BarPlot(
                new PlotFrame(
                        prefix + "cycles",
                        "Where the simulated cycles go",
                        "By the latencies of the machine's file: an instruction takes a cycle, a miss that of the place"
                                + " that answers it. Transaction types and operations with most instructions.",
                        "what runs",
                        "cycles an instruction",
                        false),
                true,
                bars.stream().map(SimulatedProcess.Named::name).toList(),
                timeSeries(bars, named -> named.counts().instructions())));
        if (bars.size() > 1) {
            plots.add(new BarPlot(
                    new PlotFrame(
                            prefix + "cycles-shares",
                            "Where the simulated cycles go, of all",
                            "The same as parts of all cycles of the phase.",
                            "what runs",
                            "% of all cycles",
                            false),
                    true,
                    bars.stream().skip(1).map(SimulatedProcess.Named::name).toList(),
                    timeSeries(bars.subList(1, bars.size()), named -> total.cycles() / PERCENT)));
        }
    }

    /** Without those whose name came before, such as the scheduler, which is in no transaction. */
    private static List<SimulatedProcess.Named> distinct(List<SimulatedProcess.Named> all) {
        Set<String> names = new HashSet<>();
        return all.stream().filter(named -> names.add(named.name())).toList();
    }

    private List<Series> timeSeries(
            List<SimulatedProcess.Named> bars, ToDoubleFunction<SimulatedProcess.Named> divisor) {
        List<Series> series = new ArrayList<>();
        TimeBreakdown.of(phase.total()).forEach((part, cycles) -> {
            if (cycles > 0) {
                series.add(new Series(
                        part,
                        bars.stream()
                                .map(named -> TimeBreakdown.of(named.counts()).get(part)
                                        / Math.max(Double.MIN_NORMAL, divisor.applyAsDouble(named)))
                                .toList()));
            }
        });
        return series;
    }

    private void operations(List<Plot> plots) {
        misses(plots, "operation", process.byOperation(phase));
        misses(plots, "transaction", process.byContext(phase));
    }

    private void misses(List<Plot> plots, String what, List<SimulatedProcess.Named> all) {
        List<SimulatedProcess.Named> greatest =
                all.stream().limit(OPERATIONS_MAX).toList();
        List<String> levels = List.copyOf(phase.total().levels().keySet());
        if (greatest.size() < 2 || levels.isEmpty()) {
            return;
        }
        plots.add(new BarPlot(
                new PlotFrame(
                        prefix + "misses-by-" + what,
                        "Misses by " + what,
                        "Those that execute most instructions, in that order.",
                        what,
                        UNIT,
                        false),
                false,
                greatest.stream().map(SimulatedProcess.Named::name).toList(),
                levels.stream()
                        .limit(Series.COUNT_MAX)
                        .map(level -> new Series(
                                level,
                                greatest.stream()
                                        .map(named -> named.counts()
                                                .perThousandInstructions(named.counts()
                                                        .levels()
                                                        .get(level)
                                                        .misses()))
                                        .toList()))
                        .toList()));
    }
}
