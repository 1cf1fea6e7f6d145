package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Spread;
import dev.lockstep.bench.report.Table;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Comparisons of runs as tables: throughput, by turns where there were such, and tails. */
final class RatioSections {
    private static final String ABSENT = "-";

    private final List<RatioReport> ratios;

    private RatioSections(List<RatioReport> ratios) {
        this.ratios = ratios;
    }

    /** Those that have rows. */
    static List<Section> of(List<RatioReport> ratios) {
        RatioSections sections = new RatioSections(ratios);
        return Stream.of(
                        new Named("Ratios of throughput", sections.throughput()),
                        new Named(
                                "Ratios of all turns together, with the interval that holds 95 of 100",
                                sections.turns()),
                        new Named(
                                "Ratios of 99th percentiles of latency, medians: below 1 is better", sections.tails()))
                .filter(named -> !named.table().rows().isEmpty())
                .map(named -> Section.of(named.heading(), named.table()))
                .toList();
    }

    private record Named(String heading, Table table) {}

    private Table throughput() {
        Table.Builder table =
                Table.of(1, List.of("ratio", "median", "min", "max", "repeats", "by CPU us/txn: median", "min", "max"));
        for (RatioReport ratio : ratios) {
            table.row(Stream.of(
                            Stream.of(label(ratio)),
                            numbers(ratio.median(), ratio.min(), ratio.max()),
                            Stream.of(String.valueOf(ratio.repeats())),
                            spread(ratio.processorTime()))
                    .flatMap(cells -> cells)
                    .toList());
        }
        return table.build();
    }

    private Table turns() {
        Table.Builder table =
                Table.of(1, List.of("ratio of all turns", "throughput", "low", "high", "by CPU us/txn", "low", "high"));
        for (RatioReport ratio : having(ratio -> ratio.turns() != null)) {
            table.row(Stream.of(Stream.of(label(ratio)), interval(ratio.turns()), interval(ratio.turnsProcessorTime()))
                    .flatMap(cells -> cells)
                    .toList());
        }
        return table.build();
    }

    private Table tails() {
        Table.Builder table = Table.of(
                1,
                Stream.concat(
                                Stream.of("ratio of 99th percentiles"),
                                LatencyGroup.GROUPS.stream().map(LatencyGroup::title))
                        .toList());
        for (RatioReport ratio : having(ratio -> ratio.latencyP99() != null)) {
            table.row(Stream.concat(
                            Stream.of(label(ratio)),
                            LatencyGroup.GROUPS.stream()
                                    .map(group -> ratio.latencyP99().get(group.key()))
                                    .map(spread -> spread == null ? ABSENT : number(spread.median())))
                    .toList());
        }
        return table.build();
    }

    private List<RatioReport> having(Predicate<RatioReport> wanted) {
        return ratios.stream().filter(wanted).toList();
    }

    private static String label(RatioReport ratio) {
        return ratio.numerator() + " : " + ratio.denominator();
    }

    private static Stream<String> spread(Spread spread) {
        return spread == null ? absent() : numbers(spread.median(), spread.min(), spread.max());
    }

    private static Stream<String> interval(TurnRatio ratio) {
        return ratio == null ? absent() : numbers(ratio.ratio(), ratio.low(), ratio.high());
    }

    private static Stream<String> absent() {
        return Stream.of(ABSENT, ABSENT, ABSENT);
    }

    private static Stream<String> numbers(double... values) {
        return Arrays.stream(values).mapToObj(RatioSections::number);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
