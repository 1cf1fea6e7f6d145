package dev.lockstep.bench.simulate;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;

/** A simulation's report with plots: for each process the measured phase, or the longest where none is marked. */
final class SimulationPage {
    private static final int PLACES_MAX = 40;
    private static final String SEED = "page.seed=";
    private static final long SEED_DEFAULT = 1;

    private SimulationPage() {}

    /** That of the page map, of a simulation the only thing at random. */
    static long seed(List<String> machine) {
        return machine.stream()
                .filter(line -> line.startsWith(SEED))
                .mapToLong(line -> Long.parseLong(line.substring(SEED.length())))
                .findFirst()
                .orElse(SEED_DEFAULT);
    }

    static Report of(SimulationReport report, Origin origin) {
        List<Section> sections = new ArrayList<>();
        for (int i = 0; i < report.processes().size(); i++) {
            SimulatedProcess process = report.processes().get(i);
            SimulationResult.Phase phase = process.result().reported();
            String prefix = report.processes().size() == 1 ? "" : "process-" + (i + 1) + "-";
            List<Part> parts = new ArrayList<>();
            parts.add(new Paragraph(process.command()));
            parts.add(new Paragraph(words(process.result(), phase)));
            parts.addAll(new SimulationPlots(report.simulated(), process, prefix).all());
            parts.add(levels(phase.total()));
            parts.add(new Paragraph(SimulationTables.latencies(process.result())));
            parts.add(SimulationTables.time(phase));
            parts.add(threads(phase));
            sections.add(
                    new Section(report.processes().size() == 1 ? "Misses" : "Process " + (i + 1) + ": misses", parts));
            String number = report.processes().size() == 1 ? "" : "Process " + (i + 1) + ": ";
            if (phase.operations().stream().anyMatch(operation -> operation.operation() != 0)) {
                sections.add(operations(number, process, phase));
            }
            if (process.code() != null) {
                sections.add(code(number, process.code()));
            }
            if (process.continuations() != null) {
                sections.add(Section.of(
                        number + "Switches of continuations",
                        new Paragraph(process.continuations().sentence())));
            }
        }
        sections.add(new Section(
                "Not in these figures",
                report.notObservable().stream().<Part>map(Paragraph::new).toList()));
        if (!report.verdicts().isEmpty()) {
            sections.addFirst(new Section(
                    "How far to believe these figures",
                    report.verdicts().stream()
                            .<Part>map(verdict -> new Paragraph(verdict.line()))
                            .toList()));
        }
        List<String> doNotCount = report.doNotCount();
        boolean complete = report.processes().stream()
                .noneMatch(process ->
                        process.result().eventsLost() + process.result().accountsLost() > 0);
        return new Report(
                "Simulated: " + program(report.arguments()),
                !doNotCount.isEmpty()
                        ? "The command ran, but its figures COUNT FOR NOTHING: " + String.join(" ", doNotCount)
                        : complete
                                ? "The command ran, and its figures are complete."
                                : "The command ran, but some events were lost or counted as of no operation; see the"
                                        + " text.",
                complete && doNotCount.isEmpty(),
                origin,
                configuration(report, origin),
                sections);
    }

    /** What was simulated, without how. */
    private static String program(List<String> arguments) {
        int separator = arguments.indexOf("--");
        return String.join(" ", arguments.subList(separator + 1, arguments.size()));
    }

    private static String words(SimulationResult result, SimulationResult.Phase phase) {
        return String.format(
                Locale.ROOT,
                "%s: %,d instructions on the simulated processors, %,d cycles; %.1f million instructions a second.",
                phase.phase() == SimulationResult.PHASE_MEASURED
                        ? "Measured phase"
                        : result.phases().size() == 1 ? "The whole run" : "Phase " + phase.phase(),
                phase.total().instructions(),
                phase.total().cycles(),
                phase.instructionsPerSecond() / 1e6);
    }

    private static Section operations(String number, SimulatedProcess process, SimulationResult.Phase phase) {
        List<Part> parts = new ArrayList<>();
        if (!process.operations().isEmpty()) {
            parts.add(new Paragraph("The instructions of the marks themselves are part of each operation."));
        }
        if (!process.byContext(phase).isEmpty()) {
            parts.add(SimulationTables.named("transaction", process.byContext(phase)));
        }
        parts.add(SimulationTables.named("operation", process.byOperation(phase)));
        if (!process.byContext(phase).isEmpty()) {
            parts.add(SimulationTables.named("transaction: operation", process.byPair(phase)));
        }
        return new Section(number + "Operations", parts);
    }

    private static Section code(String number, MissedCode code) {
        List<Part> parts = new ArrayList<>();
        parts.add(new Paragraph(SimulationTables.unresolved(code)));
        SimulationTables.ranks(code).forEach(by -> {
            parts.add(SimulationTables.places("method", code, code.methods(), by, PLACES_MAX));
            parts.add(SimulationTables.places("line", code, code.lines(), by, PLACES_MAX));
            parts.add(
                    SimulationTables.places("line, with what it is inlined into", code, code.chains(), by, PLACES_MAX));
        });
        return new Section(number + "Code that misses", parts);
    }

    private static Table levels(SimulationResult.Counts total) {
        Table.Builder table = Table.of(1, "cache", "accesses", "misses", "misses for 1,000 instructions");
        total.levels()
                .forEach((level, counts) -> table.row(List.of(
                        level,
                        String.format(Locale.ROOT, "%,d", counts.accesses()),
                        String.format(Locale.ROOT, "%,d", counts.misses()),
                        Figures.plain(total.perThousandInstructions(counts.misses())))));
        return table.build();
    }

    private static Table threads(SimulationResult.Phase phase) {
        Table.Builder table = Table.of(1, "kind of thread", "instructions");
        phase.instructionsByThreads()
                .forEach((kind, count) -> table.row(List.of(kind, String.format(Locale.ROOT, "%,d", count))));
        return table.build();
    }

    private static SequencedMap<String, String> configuration(SimulationReport report, Origin origin) {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("command", origin.command());
        settings.put("time", report.time());
        settings.put("Lockstep", report.version());
        settings.put("commit", origin.commit());
        settings.put("JVM", report.jvm());
        settings.put("real processor", report.machine().processor());
        settings.put("simulated machine", String.join(" ", report.simulated()));
        settings.put("its figures", report.simulatedSource().isEmpty() ? "the user's own" : report.simulatedSource());
        settings.put("step, instructions", String.valueOf(report.settings().stepInstructions()));
        settings.put("turn, instructions", String.valueOf(report.settings().turnInstructions()));
        settings.put(
                "buffers of system calls touched",
                String.valueOf(report.settings().buffers()));
        settings.put(
                "engine's own threads simulated",
                String.valueOf(report.settings().engineThreads()));
        settings.put(
                "JVM's own threads simulated", String.valueOf(report.settings().jvmThreads()));
        return settings;
    }
}
