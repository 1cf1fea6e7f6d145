package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.Plot;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.PointPlot;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;

/** A validation as a report: each quantity of each part as a plot of what was simulated beside what was to be. */
final class ValidationPage {
    private static final String SIMULATED = "simulated";

    /** The smaller of two figures that stand in one linear plot is at least this part of the greater. */
    private static final double LINEAR_PART_MIN = 0.02;

    /** More names than these below one plot cannot be read; the table has them all. */
    private static final int POINTS_MAX = 36;

    private ValidationPage() {}

    static Report of(ValidationReport validation, Origin origin) {
        List<Section> sections = new ArrayList<>();
        for (ValidationTable table : validation.tables()) {
            sections.add(section(table));
        }
        long checks = validation.tables().stream()
                .mapToLong(table -> table.checks().size())
                .sum();
        long passed = validation.tables().stream()
                .flatMap(table -> table.checks().stream())
                .filter(Check::passes)
                .count();
        return new Report(
                "The simulator beside what it ought to count",
                String.format(Locale.ROOT, "%,d of %,d figures lie within their bounds.", passed, checks),
                validation.ok(),
                origin,
                configuration(validation, origin),
                sections);
    }

    private static SequencedMap<String, String> configuration(ValidationReport validation, Origin origin) {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("command", origin.command());
        settings.put("time", validation.time());
        settings.put("Lockstep", validation.version());
        settings.put("commit", origin.commit());
        settings.put("JVM", validation.jvm());
        settings.put("processor", validation.machine().processor());
        settings.put("processors", String.valueOf(validation.machine().processors()));
        settings.put("operating system", validation.machine().operatingSystem());
        return settings;
    }

    private static Section section(ValidationTable table) {
        List<Part> parts = new ArrayList<>();
        parts.add(new Paragraph(table.verdict() + "."));
        table.notes().stream().map(Paragraph::new).forEach(parts::add);
        SequencedSet<String> quantities = new LinkedHashSet<>();
        table.checks().forEach(check -> quantities.add(check.quantity()));
        quantities.forEach(quantity -> parts.addAll(plots(table, quantity)));
        parts.add(table.table());
        return new Section(table.title(), parts);
    }

    /** A quantity with one figure only is better read in the table. */
    private static List<Plot> plots(ValidationTable table, String quantity) {
        List<Check> checks = table.checks().stream()
                .filter(check -> check.quantity().equals(quantity) && Math.max(check.expected(), check.measured()) > 0)
                .toList();
        if (checks.size() < 2) {
            return List.of();
        }
        List<Plot> plots = new ArrayList<>();
        int pages = (checks.size() + POINTS_MAX - 1) / POINTS_MAX;
        // In even parts, as a last one of two points would look like another plot.
        int each = (checks.size() + pages - 1) / pages;
        for (int page = 0; page < pages; page++) {
            List<Check> shown = checks.subList(page * each, Math.min(checks.size(), (page + 1) * each));
            plots.add(plot(table, quantity, shown, pages == 1 ? "" : " (" + (page + 1) + " of " + pages + ")"));
        }
        return plots;
    }

    private static Plot plot(ValidationTable table, String quantity, List<Check> checks, String page) {
        double low = Double.MAX_VALUE;
        double high = 0;
        for (Check check : checks) {
            for (double value : List.of(check.expected(), check.measured())) {
                low = value > 0 ? Math.min(low, value) : low;
                high = Math.max(high, value);
            }
        }
        boolean linear = low >= LINEAR_PART_MIN * high;
        PlotFrame frame = new PlotFrame(
                name(table.title() + " " + quantity + page),
                table.title() + ": " + quantity + page,
                linear ? bound(checks) : bound(checks) + " Figures of 0 stand in the table only.",
                "program",
                linear ? quantity : quantity + ", logarithmic",
                !linear);
        List<String> names = names(checks);
        List<Series> series = List.of(
                series(table.expectation(), checks.stream().map(Check::expected).toList(), linear),
                series(SIMULATED, checks.stream().map(Check::measured).toList(), linear));
        return linear ? new BarPlot(frame, false, names, series) : new PointPlot(frame, names, series);
    }

    private static String bound(List<Check> checks) {
        SequencedSet<String> bounds = new LinkedHashSet<>();
        checks.forEach(check -> bounds.add(check.bound().text()));
        return "Allowed: " + String.join("; ", bounds) + ".";
    }

    private static Series series(String name, List<Double> values, boolean linear) {
        return new Series(
                name,
                values.stream()
                        .map(value -> linear || value > 0 ? value : Double.NaN)
                        .toList());
    }

    /** The programs; where one ran with several caches, with the first that they differ by. */
    private static List<String> names(List<Check> checks) {
        Map<String, List<String>> common = new HashMap<>();
        for (Check check : checks) {
            common.computeIfAbsent(check.program(), program -> new ArrayList<>(parts(check)))
                    .retainAll(parts(check));
        }
        List<String> names = new ArrayList<>();
        for (Check check : checks) {
            List<String> own = new ArrayList<>(parts(check));
            own.removeAll(common.get(check.program()));
            String name = own.isEmpty() ? check.program() : check.program() + ", " + own.getFirst();
            String distinct = name;
            // Ends: one of so many numbers is free.
            for (int number = 2; names.contains(distinct); number++) {
                distinct = name + " (" + number + ")";
            }
            names.add(distinct);
        }
        return names;
    }

    private static List<String> parts(Check check) {
        return List.of(check.geometry().split(" "));
    }

    private static String name(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
    }
}
