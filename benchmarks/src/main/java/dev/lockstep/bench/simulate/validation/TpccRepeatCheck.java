package dev.lockstep.bench.simulate.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.simulate.jvm.SimulatedTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;

/**
 * TPC-C on Lockstep, simulated twice with one seed. What is compared is what the seed decides: one terminal, so that
 * nobody's turn depends on the moment at which a thread of the log wakes another, and a time that counts its readings,
 * so that decisions taken by it do not either. The compilers then make nearly the same code of both (ARCHITECTURE.md).
 * The engine's own threads, which force the log and write pages at moments of the machine's clock, are not simulated.
 */
final class TpccRepeatCheck {
    private static final double INSTRUCTIONS_RELATIVE = 0.01;
    private static final double MISSES_RELATIVE = 0.03;

    /** A class of misses that makes less of all misses than this, in both runs, is not compared. */
    private static final double SHARE_MIN = 0.01;

    /**
     * After half as many, C2 has compiled what 95 % of the instructions need, but its work was still half as many
     * instructions as the workload's in the measured phase.
     */
    private static final int WARM_UP_TRANSACTIONS = 160_000;

    /** So many that the few Deliveries and Stock-Levels more in one run than in the other make no difference. */
    private static final int TRANSACTIONS = 4_000;

    private static final int PHASE_MEASURED = 1;
    private static final int LINE = 64;
    private static final Geometry GEOMETRY =
            Geometry.twoLevels(Geometry.kib(32, 8, LINE), Geometry.kib(32, 8, LINE), Geometry.kib(2048, 16, LINE));

    private final Validation validation;

    /**
     * What a run counted.
     *
     * @param misses by level, each by class, {@link #ALL} of them included
     */
    record Measured(long instructions, Map<String, Map<String, Long>> misses) {
        /** The name of no class. */
        static final String ALL = "";

        /** Reads what the threads of the workload did in the measured phase of what {@code simulate} writes. */
        static Measured of(JsonNode simulation) {
            long instructions = 0;
            Map<String, Map<String, Long>> misses = new TreeMap<>();
            for (JsonNode phase : simulation.at("/processes/0/result/phases")) {
                if (phase.path("phase").asInt() == PHASE_MEASURED) {
                    for (JsonNode operation : phase.path("operations")) {
                        instructions += operation.at("/counts/instructions").asLong();
                        add(misses, operation.at("/counts/levels"));
                    }
                }
            }
            return new Measured(instructions, misses);
        }

        private static void add(Map<String, Map<String, Long>> misses, JsonNode levels) {
            levels.properties().forEach(level -> {
                Map<String, Long> classes =
                        misses.computeIfAbsent(level.getKey().toUpperCase(Locale.ROOT), each -> new TreeMap<>());
                classes.merge(ALL, level.getValue().path("misses").asLong(), Long::sum);
                level.getValue()
                        .path("classes")
                        .properties()
                        .forEach(each ->
                                classes.merge(each.getKey(), each.getValue().asLong(), Long::sum));
            });
        }

        long misses(String level, String name) {
            return misses.getOrDefault(level, Map.of()).getOrDefault(name, 0L);
        }

        boolean matters(String level, String name) {
            long all = misses.keySet().stream()
                    .mapToLong(each -> misses(each, ALL))
                    .sum();
            return misses(level, name) >= SHARE_MIN * all;
        }
    }

    TpccRepeatCheck(Validation validation) {
        this.validation = validation;
    }

    ValidationTable run() throws IOException {
        validation.progress().accept("TPC-C");
        Measured first = measured();
        validation.progress().accept("TPC-C again");
        return new ValidationTable(
                "TPC-C simulated twice",
                "first run",
                List.of("The threads of the workload in the measured phase of each run. Classes of misses that make at"
                        + " least 1 % of all."),
                compare(first, measured()));
    }

    static List<Check> compare(Measured first, Measured second) {
        List<Check> checks = new ArrayList<>();
        checks.add(check(
                Quantity.INSTRUCTIONS.title(), first.instructions(), second.instructions(), INSTRUCTIONS_RELATIVE));
        first.misses()
                .forEach((level, classes) -> classes.forEach((name, count) -> {
                    if (first.matters(level, name) || second.matters(level, name)) {
                        String title = level + " misses" + (name.equals(Measured.ALL) ? "" : ", " + name);
                        checks.add(check(title, count, second.misses(level, name), MISSES_RELATIVE));
                    }
                }));
        return checks;
    }

    private static Check check(String title, long first, long second, double relative) {
        return Check.of("tpcc", GEOMETRY.text(), title, (double) first, (double) second, Bound.within(relative));
    }

    private Measured measured() throws IOException {
        Path json = Files.createTempFile("lockstep-repeat", ".json");
        try {
            StringWriter printed = new StringWriter();
            CommandLine commandLine = validation.commands().get();
            commandLine.setOut(new PrintWriter(printed));
            commandLine.setErr(new PrintWriter(printed));
            int exitCode =
                    commandLine.execute(arguments(json, validation.seed()).toArray(String[]::new));
            if (exitCode != 0) {
                throw new ToolException("TPC-C was not simulated: exitCode=" + exitCode + " printed=" + printed);
            }
            return Measured.of(new ObjectMapper().readTree(json.toFile()));
        } finally {
            Files.delete(json);
        }
    }

    private static List<String> arguments(Path json, long seed) {
        return List.of(
                "simulate",
                "--l1i",
                GEOMETRY.l1i().text(),
                "--l1d",
                GEOMETRY.l1d().text(),
                "--llc",
                GEOMETRY.last().text(),
                "--set",
                "coherence=mesi",
                "--set",
                "classes=merged",
                "--json",
                json.toString(),
                "--",
                "tpcc",
                "--engine",
                "lockstep",
                "--scheduler",
                "steps",
                "--durability",
                "async",
                "--warmup-transactions",
                Integer.toString(WARM_UP_TRANSACTIONS),
                "--transactions",
                Integer.toString(TRANSACTIONS),
                "--terminals",
                "1",
                // Which pages are written meanwhile, and marked as changed once more, is a matter of the disk's pace.
                "--checkpoint-seconds",
                "off",
                // It begins the array of latches where a region of the heap begins, the serial one at any multiple of
                // eight: what is read of a latch then lies in one cache line or in two.
                "--jvm-option=-XX:-UseSerialGC",
                "--jvm-option=-XX:+UseG1GC",
                // Else the JVM puts its archive of classes at another address each time, whatever the system does.
                "--jvm-option=-XX:+UnlockDiagnosticVMOptions",
                "--jvm-option=-XX:ArchiveRelocationMode=0",
                "--jvm-option=-D" + SimulatedTime.PROPERTY + "=" + SimulatedTime.READINGS,
                "--seed",
                Long.toString(seed));
    }
}
