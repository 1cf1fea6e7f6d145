package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.ProcessorShares;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.report.Spread;
import dev.lockstep.bench.report.Table;
import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.workload.LatencySummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A result as sections of tables and words. Where there are repetitions, throughput is the median with its range, and
 * everything else comes from the run with the median throughput. Runs that were given up count only where no other is
 * left.
 */
final class TpccSections {
    static final String THROUGHPUT = "Throughput";
    static final String PROCESSORS = "The run's processors in the measured phase, all programs on them";
    static final String LATENCY = "Latency in microseconds";
    static final String TEAMS = "Teams, by operation: members in when a team forms, out when it ends";
    static final String SIMULATED = "Simulated: how far to believe ";
    static final String FLAME_GRAPHS = "Flame graphs, from further runs with the profiler";

    private static final String OK = "ok";
    private static final String ABSENT = "-";
    private static final int CONDITIONS = 12;
    private static final double SECONDS_PER_MINUTE = 60;
    private static final double BYTES_PER_MEBI = 1 << 20;
    private static final double PERCENT = 100;

    /** A run that spends more of its time on garbage collection measures the collector as well. */
    private static final double GC_PART_MAX = 0.05;

    /** Differences of a twentieth are what many comparisons are about. */
    private static final double STOLEN_PART_MAX = 0.05;

    /**
     * The standard mix comes to a hundredth of itself in a long run: of ten New-Orders for each Delivery a hundredth
     * rolls back.
     */
    private static final double EMPTY_DISTRICT_PART_MAX = 0.05;

    private final ExperimentReport report;
    private final Map<String, List<RunReport>> byLabel = new LinkedHashMap<>();

    /** Without the connection counts that were not the best. */
    private final Map<String, List<RunReport>> best = new LinkedHashMap<>();

    private final List<Section> sections = new ArrayList<>();

    TpccSections(ExperimentReport report) {
        this.report = report;
        for (RunReport run : report.runs()) {
            byLabel.computeIfAbsent(run.label(), label -> new ArrayList<>()).add(run);
            if (report.connections().getOrDefault(run.engine(), run.threads()) == run.threads()) {
                best.computeIfAbsent(run.label(), label -> new ArrayList<>()).add(run);
            }
        }
    }

    /** All sections, the description of the run first. */
    List<Section> sections() {
        sections.clear();
        heading();
        throughput();
        processors();
        threads();
        sections.addAll(RatioSections.of(report.ratios().all()));
        latencies();
        aborts();
        teams();
        isolation();
        consistency();
        warnings();
        simulations();
        flameGraphs();
        failures();
        return List.copyOf(sections);
    }

    /** The run with the median throughput of each configuration, peers at their best connection count. */
    List<RunReport> typical() {
        return best.values().stream().map(TpccSections::typical).toList();
    }

    /** All runs of each configuration, by label, in order. */
    Map<String, List<RunReport>> byLabel() {
        return byLabel;
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    private static String count(double value) {
        return value < 0 ? ABSENT : format("%,.0f", value);
    }

    private static String count(long value) {
        return format("%,d", value);
    }

    private static String part(Double value, String pattern) {
        return value == null ? ABSENT : format(pattern, value);
    }

    private void add(String heading, Part... parts) {
        sections.add(Section.of(heading, parts));
    }

    private void simulations() {
        for (SimulationCheck check : report.simulations()) {
            addLines(SIMULATED + check.label(), check.verdict().sentences());
        }
    }

    private void addLines(String heading, List<String> lines) {
        sections.add(
                new Section(heading, lines.stream().<Part>map(Paragraph::new).toList()));
    }

    private void heading() {
        RunReport first = report.runs().getFirst();
        RunSpec spec = first.configuration();
        List<String> lines = new ArrayList<>();
        lines.add(format("%s, %s, %s", report.machine().processor(), several(TpccSections::cores), report.jvm()));
        if (spec.engineName() == EngineName.LOCKSTEP) {
            lines.add(format(
                    "durability %s, pool %,.0f MiB%s%s",
                    several(RunReport::durability),
                    spec.poolBytes() / BYTES_PER_MEBI,
                    spec.fsyncDelayMillis() == 0 ? "" : format(", %d ms added to each fsync", spec.fsyncDelayMillis()),
                    spec.protection().inWords()));
        }
        addLines(title(), lines);
    }

    /** What was run, in one line. */
    String title() {
        RunSpec spec = report.runs().getFirst().configuration();
        return format(
                "%s: %d warehouse%s, %s terminals, %s mix, %s",
                spec.shrink() == 1 ? "TPC-C" : "Like TPC-C on 1/" + spec.shrink() + " of its rows",
                spec.warehouses(),
                spec.warehouses() == 1 ? "" : "s",
                several(run -> String.valueOf(run.configuration().terminals())),
                spec.mix(),
                spec.transactions() > 0
                        ? format("%,d transactions after %,d", spec.transactions(), spec.warmUpTransactions())
                        : format(
                                "%s s after %s s%s",
                                plain(spec.durationSeconds()),
                                plain(spec.warmUpSeconds()),
                                spec.sliceSeconds() == 0
                                        ? ""
                                        : format(
                                                ", in one JVM%s by turns of %s s",
                                                spec.sharesDatabase() ? " and on one database" : "",
                                                plain(spec.sliceSeconds()))));
    }

    /** What the runs of the first engine have, each once. */
    private String several(Function<RunReport, String> what) {
        String engine = report.runs().getFirst().engine();
        return report.runs().stream()
                .filter(run -> run.engine().equals(engine))
                .map(what)
                .distinct()
                .collect(Collectors.joining(" and "));
    }

    private static String cores(RunReport run) {
        int cores = run.configuration().cores();
        return format("%d core%s (%s)", cores, cores == 1 ? "" : "s", run.pinning());
    }

    private static String plain(double seconds) {
        return seconds == Math.rint(seconds) ? format("%.0f", seconds) : format("%s", seconds);
    }

    /** Runs that were not given up, or all where nothing else is left. */
    private static List<RunReport> ended(List<RunReport> runs) {
        List<RunReport> ended =
                runs.stream().filter(run -> run.failure().isEmpty()).toList();
        return ended.isEmpty() ? runs : ended;
    }

    /**
     * The run whose throughput is the median of those with its label that were not given up; of two in the middle the
     * slower one.
     */
    private static RunReport typical(List<RunReport> runs) {
        List<RunReport> sorted = ended(runs).stream()
                .sorted(Comparator.comparingDouble(RunReport::txnPerSecond))
                .toList();
        return sorted.get((sorted.size() - 1) / 2);
    }

    private void throughput() {
        boolean repeated = byLabel.values().stream().anyMatch(runs -> runs.size() > 1);
        List<String> headers = new ArrayList<>(List.of("run", "txn/s"));
        if (repeated) {
            headers.addAll(List.of("min", "max"));
        }
        headers.addAll(List.of(
                "New-Order/s",
                "New-Order/min",
                "CPU us/txn",
                "stolen %",
                "large pages %",
                "crowding",
                "alloc B/txn",
                "GC ms",
                "heap MiB",
                "commits/force",
                "hit ratio",
                "of terminals",
                "load s"));
        Table.Builder table = Table.of(1, headers);
        byLabel.forEach((label, runs) -> table.row(throughputRow(label, runs, repeated)));
        sections.add(Section.of(THROUGHPUT, table.build()).with(connections()));
    }

    static List<String> throughputRow(String label, List<RunReport> runs, boolean repeated) {
        RunReport run = typical(runs);
        Spread rates = Spread.of(ended(runs).stream().mapToDouble(RunReport::txnPerSecond));
        List<String> row = new ArrayList<>(List.of(label, count(rates.median())));
        if (repeated) {
            row.addAll(List.of(count(rates.min()), count(rates.max())));
        }
        row.addAll(List.of(
                count(run.newOrderPerMinute() / SECONDS_PER_MINUTE),
                count(run.newOrderPerMinute()),
                run.cpuMicrosPerTransaction() < 0 ? ABSENT : format("%.2f", run.cpuMicrosPerTransaction()),
                run.stolenPart() == null ? ABSENT : format("%.1f", PERCENT * run.stolenPart()),
                run.largePagePart() == null ? ABSENT : format("%.1f", PERCENT * run.largePagePart()),
                part(run.crowding(), "%.3f"),
                count(run.allocatedBytesPerTransaction()),
                count(run.gcMillis()),
                count(run.heapUsedPeakBytes() / BYTES_PER_MEBI),
                part(run.commitsPerForce(), "%.1f"),
                part(run.bufferHitRatio(), "%.4f"),
                part(run.terminalHitRatio(), "%.4f"),
                format("%.1f", run.loadSeconds())));
        return row;
    }

    private List<Paragraph> connections() {
        return report.connections().isEmpty()
                ? List.of()
                : List.of(new Paragraph(new TreeMap<>(report.connections())
                        .entrySet().stream()
                                .map(entry -> entry.getKey() + " " + entry.getValue())
                                .collect(Collectors.joining(", ", "best connection count: ", ""))));
    }

    private void processors() {
        Table.Builder table = Table.of(1, List.of("run", "user %", "kernel %", "idle %", "stolen %"));
        byLabel.forEach((label, runs) -> table.row(processorRow(label, typical(runs))));
        add(PROCESSORS, table.build());
    }

    static List<String> processorRow(String label, RunReport run) {
        ProcessorShares shares = run.processorShares();
        return shares == null
                ? List.of(label, ABSENT, ABSENT, ABSENT, ABSENT)
                : List.of(
                        label,
                        format("%.1f", PERCENT * shares.user()),
                        format("%.1f", PERCENT * shares.kernel()),
                        format("%.1f", PERCENT * shares.idle()),
                        part(run.stolenPart() == null ? null : PERCENT * run.stolenPart(), "%.1f"));
    }

    private void threads() {
        Set<String> names = new TreeSet<>();
        report.runs().forEach(run -> names.addAll(run.cpuMicrosByThread().keySet()));
        if (names.isEmpty()) {
            return;
        }
        names.remove(ThreadTimes.OTHERS);
        List<String> columns = new ArrayList<>(names);
        columns.add(ThreadTimes.OTHERS);
        Table.Builder table =
                Table.of(1, Stream.concat(Stream.of("run"), columns.stream()).toList());
        byLabel.forEach((label, runs) -> {
            Map<String, Double> micros = typical(runs).cpuMicrosByThread();
            table.row(Stream.concat(Stream.of(label), columns.stream().map(name -> part(micros.get(name), "%.2f")))
                    .toList());
        });
        add("Processor time by thread, microseconds for each transaction", table.build());
    }

    private void latencies() {
        Table.Builder table =
                Table.of(2, List.of("run", "transaction", "committed", "p50", "p90", "p95", "p99", "p99.9", "max"));
        best.forEach((label, runs) -> {
            RunReport run = typical(runs);
            for (LatencyGroup group : LatencyGroup.GROUPS) {
                LatencySummary latency = run.latencyMicros().get(group.key());
                if (latency != null && latency.count() > 0) {
                    table.row(List.of(
                            label,
                            group.title(),
                            count(latency.count()),
                            micros(latency.p50()),
                            micros(latency.p90()),
                            micros(latency.p95()),
                            micros(latency.p99()),
                            micros(latency.p999()),
                            micros(latency.max())));
                }
            }
        });
        Table latencies = table.build();
        // Runs that failed have none.
        if (!latencies.rows().isEmpty()) {
            add(LATENCY, latencies);
        }
    }

    private static String micros(double value) {
        return value < 100 ? format("%.1f", value) : count(value);
    }

    private void aborts() {
        List<String> headers = new ArrayList<>(List.of("run"));
        for (AbortReason reason : AbortReason.values()) {
            headers.add(Spelling.of(reason));
        }
        headers.add("retried");
        Table.Builder table = Table.of(1, headers);
        best.forEach((label, runs) -> {
            RunReport run = typical(runs);
            List<String> row = new ArrayList<>(List.of(label));
            for (AbortReason reason : AbortReason.values()) {
                row.add(count(run.aborts().getOrDefault(Spelling.of(reason), 0L)));
            }
            row.add(count(run.retries()));
            table.row(row);
        });
        add("Attempts rolled back, by reason", table.build());
    }

    private void teams() {
        if (best.values().stream().allMatch(runs -> typical(runs).teams().isEmpty())) {
            return;
        }
        Table.Builder table = Table.of(
                2,
                List.of(
                        "run",
                        "operation",
                        "operations",
                        "outside",
                        "teams",
                        "limit",
                        "in",
                        "beside",
                        "out",
                        "switches",
                        "skipped",
                        "strays",
                        "ns/operation"));
        best.forEach((label, runs) -> {
            for (TeamReport team : typical(runs).teams()) {
                table.row(List.of(
                        label,
                        team.operation(),
                        count(team.operations()),
                        count(team.straightOperations()),
                        count(team.teams()),
                        count(team.teamLimit()),
                        format("%.1f", team.membersIn()),
                        format("%.1f", team.membersBeside()),
                        format("%.1f", team.membersOut()),
                        count(team.switches()),
                        count(team.switchesSkipped()),
                        count(team.strays().values().stream()
                                .mapToLong(Long::longValue)
                                .sum()),
                        count(team.nanosPerOperation())));
            }
        });
        add(TEAMS, table.build());
    }

    private void isolation() {
        Table.Builder table = Table.of(2, List.of("run", "level"));
        best.forEach((label, runs) -> table.row(List.of(label, isolation(typical(runs)))));
        add("Isolation", table.build());
    }

    /** The level, and the types that have another one. */
    private static String isolation(RunReport run) {
        Map<String, List<String>> types = new LinkedHashMap<>();
        for (TransactionType type : TransactionType.values()) {
            String level = run.isolation().getOrDefault(Spelling.of(type), ABSENT);
            types.computeIfAbsent(level, l -> new ArrayList<>()).add(type.title());
        }
        if (types.size() == 1) {
            return types.keySet().iterator().next();
        }
        return types.entrySet().stream()
                .map(entry -> entry.getKey() + " (" + String.join(", ", entry.getValue()) + ")")
                .collect(Collectors.joining(", "));
    }

    private void consistency() {
        List<String> headers = new ArrayList<>(List.of("run", "when"));
        for (int condition = 1; condition <= CONDITIONS; condition++) {
            headers.add(String.valueOf(condition));
        }
        headers.add("tally");
        Table.Builder table = Table.of(2, headers);
        best.forEach((label, runs) -> {
            table.row(verdicts(label, "loaded", runs, true));
            table.row(verdicts(label, "after the run", runs, false));
        });
        add("Consistency conditions (clause 3.3.2), and the rows against the driver's own tally", table.build());
    }

    private static List<String> verdicts(String label, String when, List<RunReport> runs, boolean loaded) {
        List<String> row = new ArrayList<>(List.of(label, when));
        for (int condition = 1; condition <= CONDITIONS; condition++) {
            String key = String.valueOf(condition);
            row.add(worst(runs.stream()
                    .map(run -> loaded ? run.consistencyAfterLoad() : run.consistency())
                    .map(verdicts -> verdicts.getOrDefault(key, ABSENT))
                    .toList()));
        }
        if (loaded) {
            row.add(ABSENT);
        } else {
            boolean checked = runs.stream().noneMatch(run -> run.consistency().isEmpty());
            boolean agrees =
                    runs.stream().allMatch(run -> run.tallyDifferences().isEmpty());
            row.add(!agrees ? "WRONG" : checked ? OK : ABSENT);
        }
        return row;
    }

    private static String worst(List<String> verdicts) {
        boolean wrong = verdicts.stream().anyMatch(verdict -> !verdict.equals(OK) && !verdict.equals(ABSENT));
        return wrong ? "WRONG" : verdicts.contains(ABSENT) ? ABSENT : OK;
    }

    /** What makes a figure less than it seems to be. */
    private void warnings() {
        List<String> lines = new ArrayList<>();
        for (RunReport run : report.runs()) {
            if (run.gcPart() > GC_PART_MAX) {
                lines.add(format(
                        "%s, repetition %d: garbage collection took %.0f %% of the measured time, more than %.0f %%:"
                                + " the engine is not at its best; try a larger heap or a shorter run",
                        run.label(), run.repeat(), PERCENT * run.gcPart(), PERCENT * GC_PART_MAX));
            }
            if (run.stolenPart() != null && run.stolenPart() > STOLEN_PART_MAX) {
                lines.add(format(
                        "%s, repetition %d: this machine's host had given %.0f %% of the processor's time to others,"
                                + " more than %.0f %%: compare processor time in place of throughput",
                        run.label(), run.repeat(), PERCENT * run.stolenPart(), PERCENT * STOLEN_PART_MAX));
            }
        }
        lines.addAll(emptyDistricts(report.runs()));
        lines.addAll(MachineWarnings.of(report.runs()));
        if (!lines.isEmpty()) {
            addLines("Warnings", lines);
        }
    }

    /** Deliveries that had less to do than those of the standard mix. */
    static List<String> emptyDistricts(List<RunReport> runs) {
        return runs.stream()
                .filter(run -> run.emptyDistrictPart() != null && run.emptyDistrictPart() > EMPTY_DISTRICT_PART_MAX)
                .map(run -> format(
                        "%s, repetition %d: %.1f %% of the districts that Deliveries came to had no order left, more"
                                + " than %.0f %%: these Deliveries did less than they should, and the figures are the"
                                + " better for it; measure fewer of them, or load more (--warehouses, no --shrink)",
                        run.label(),
                        run.repeat(),
                        PERCENT * run.emptyDistrictPart(),
                        PERCENT * EMPTY_DISTRICT_PART_MAX))
                .toList();
    }

    private void flameGraphs() {
        if (report.flameGraphs().isEmpty()) {
            return;
        }
        Table.Builder table = Table.of(3, List.of("run", "file", "event", "txn/s with the profiler"));
        for (FlameGraphReport graph : report.flameGraphs()) {
            table.row(List.of(
                    graph.run(),
                    graph.file(),
                    Objects.requireNonNullElse(graph.event(), ABSENT),
                    count(graph.txnPerSecond())));
        }
        add(FLAME_GRAPHS, table.build());
    }

    /** Everything that is wrong, in full. */
    private void failures() {
        List<String> lines = new ArrayList<>();
        for (RunReport run : report.runs()) {
            String name = run.label() + ", repetition " + run.repeat() + ": ";
            if (!run.failure().isEmpty()) {
                lines.add(name + run.failure());
            }
            violations(run.consistencyAfterLoad()).forEach(line -> lines.add(name + "after loading, " + line));
            violations(run.consistency()).forEach(line -> lines.add(name + line));
            run.tallyDifferences().forEach(line -> lines.add(name + "tally: " + line));
        }
        for (FlameGraphReport graph : report.flameGraphs()) {
            if (!graph.ok()) {
                lines.add(graph.run() + ", for " + graph.file() + ": "
                        + (graph.failure().isEmpty() ? "a check failed" : graph.failure()));
            }
        }
        addLines(lines.isEmpty() ? "All is well." : "FAILED", lines);
    }

    private static List<String> violations(Map<String, String> verdicts) {
        return verdicts.entrySet().stream()
                .filter(entry -> !entry.getValue().equals(OK))
                .map(entry -> "condition " + entry.getKey() + ": " + entry.getValue())
                .toList();
    }
}
