package dev.lockstep.bench.simulate;

import dev.lockstep.bench.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A simulation's report as text. Used by one thread. */
final class SimulationText {
    private static final double MILLION = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    /** More would hide the rest of the text; the page and the JSON have more. */
    private static final int PLACES_MAX = 12;

    private static final double PERCENT = 100;
    private static final int KIB_SHIFT = 10;

    private final SimulationReport report;
    private final StringBuilder out = new StringBuilder();

    SimulationText(SimulationReport report) {
        this.report = report;
    }

    String text() {
        line("Simulated machine: " + String.join(" ", report.simulated()));
        if (!report.simulatedSource().isEmpty()) {
            line("Its figures: " + report.simulatedSource() + ".");
        }
        report.verdicts().forEach(verdict -> line(verdict.line()));
        for (SimulatedProcess process : report.processes()) {
            line("");
            line("Process: " + process.command());
            process(process);
        }
        line("");
        line("Not in these figures:");
        report.notObservable().forEach(text -> line("- " + text));
        return out.toString();
    }

    private void line(String text) {
        out.append(text).append('\n');
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private void process(SimulatedProcess process) {
        SimulationResult result = process.result();
        for (SimulationResult.Phase phase : result.phases()) {
            boolean alone = result.phases().size() == 1;
            if (phase.nanos() > 0) {
                line("");
                phase(alone ? "The whole run" : name(phase), phase);
                operations(process, phase);
            }
        }
        if (process.code() != null) {
            code(process.code());
        }
        if (process.continuations() != null) {
            line("");
            line(process.continuations().sentence());
        }
        line("");
        line(SimulationTables.latencies(result));
        regions(result);
        warnings(result);
    }

    private void regions(SimulationResult result) {
        if (!result.regions().isEmpty()) {
            line("Memory as the process told of it: "
                    + result.regions().stream()
                            .map(region -> format(
                                    "%s %,d KB in pages of %,d KB%s",
                                    region.kind(),
                                    region.bytes() >> KIB_SHIFT,
                                    region.pageBytes() >> KIB_SHIFT,
                                    region.node() < 0 ? "" : " on node " + region.node()))
                            .collect(Collectors.joining("; ")));
        }
    }

    private static String name(SimulationResult.Phase phase) {
        return switch (phase.phase()) {
            case SimulationResult.PHASE_NONE -> "Outside any phase";
            case 1 -> "Phase 1 (measured)";
            default -> "Phase " + phase.phase();
        };
    }

    private void phase(String name, SimulationResult.Phase phase) {
        SimulationResult.Counts total = phase.total();
        line(format(
                "%s: %,d instructions simulated in %.2f s; with the threads that are not simulated %.1f million"
                        + " instructions a second.",
                name, total.instructions(), phase.nanos() / NANOS_PER_SECOND, phase.instructionsPerSecond() / MILLION));
        line("Instructions by kind of thread: " + shares(phase.instructionsByThreads()));
        line(format(
                "%,d cycles (%.2f an instruction), %,d loads, %,d stores, %,d updates",
                total.cycles(),
                total.instructions() == 0 ? 0 : (double) total.cycles() / total.instructions(),
                total.loads(),
                total.stores(),
                total.updates()));
        levels(total);
        sharing(total);
        if (phase.branches() != null) {
            branches(total, phase.branches());
        }
        engine(phase.engine());
        if (total.cycles() > total.instructions()) {
            out.append(SimulationTables.time(phase).text());
        }
    }

    private void engine(SimulationResult.Counts engine) {
        if (engine.instructions() > 0) {
            line(format(
                    "Of these, the engine's own threads: %,d instructions; misses: %s",
                    engine.instructions(),
                    engine.levels().entrySet().stream()
                            .map(level -> format(
                                    "%s %,d", level.getKey(), level.getValue().misses()))
                            .collect(Collectors.joining(", "))));
        }
    }

    private static String shares(Map<String, Long> instructions) {
        long sum = instructions.values().stream().mapToLong(Long::longValue).sum();
        return instructions.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .map(entry ->
                        format("%s %.1f %% (%,d)", entry.getKey(), PERCENT * entry.getValue() / sum, entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    private void levels(SimulationResult.Counts total) {
        List<String> observed = report.simulated().stream()
                .filter(text -> text.startsWith("observe="))
                .map(text -> text.substring(text.indexOf('=') + 1))
                .toList();
        TextTable table = new TextTable(2, List.of("cache", "geometry", "accesses", "misses", "per 1,000 instr."));
        total.levels()
                .forEach((level, counts) -> table.row(List.of(
                        level,
                        geometry(level),
                        format("%,d", counts.accesses()),
                        format("%,d", counts.misses()),
                        format("%.3f", total.perThousandInstructions(counts.misses())))));
        for (int i = 0; i < observed.size() && i < total.observerMisses().size(); i++) {
            int colon = observed.get(i).indexOf(':');
            long misses = total.observerMisses().get(i);
            table.row(List.of(
                    observed.get(i).substring(0, colon) + " (watches)",
                    observed.get(i).substring(colon + 1),
                    "",
                    format("%,d", misses),
                    format("%.3f", total.perThousandInstructions(misses))));
        }
        out.append(table.text());
    }

    private String geometry(String level) {
        return report.simulated().stream()
                .filter(text -> text.startsWith(level + "="))
                .map(text -> text.substring(level.length() + 1))
                .findFirst()
                .orElse("");
    }

    private void sharing(SimulationResult.Counts total) {
        List<String> classes = new ArrayList<>();
        total.levels().forEach((level, counts) -> {
            if (counts.classes() != null) {
                classes.add(level + ": " + shares(counts.classes()));
            }
        });
        if (!classes.isEmpty()) {
            line("Misses by class: " + String.join("; ", classes));
            line(format(
                    "%,d upgrades, %,d invalidations sent, %,d lines from other caches (%,d of another node), %,d from"
                            + " memory (%,d of another node)",
                    total.upgrades(),
                    total.invalidationsSent(),
                    total.transfersLocal() + total.transfersRemote(),
                    total.transfersRemote(),
                    total.memoryLocal() + total.memoryRemote(),
                    total.memoryRemote()));
        }
        if (total.itlbMisses() + total.dtlbMisses() + total.stlbAccesses() > 0) {
            line(format(
                    "TLB misses: %,d instruction, %,d data, %,d of %,d second level",
                    total.itlbMisses(), total.dtlbMisses(), total.stlbMisses(), total.stlbAccesses()));
        }
    }

    private void branches(SimulationResult.Counts total, SimulationResult.Branches branches) {
        line(format(
                "Branches mispredicted: %.3f per 1,000 instructions: %,d of %,d conditional, %,d of %,d indirect, %,d"
                        + " of %,d returns; targets not in the buffer: %,d of %,d taken",
                total.perThousandInstructions(branches.mispredicted()),
                branches.conditionalWrong(),
                branches.conditional(),
                branches.indirectWrong(),
                branches.indirect(),
                branches.returnsWrong(),
                branches.returns(),
                branches.targetUnknown(),
                branches.taken()));
    }

    private void operations(SimulatedProcess process, SimulationResult.Phase phase) {
        if (phase.operations().stream().noneMatch(operation -> operation.operation() != 0)) {
            return;
        }
        List<SimulatedProcess.Named> contexts = process.byContext(phase);
        if (!contexts.isEmpty()) {
            out.append(SimulationTables.named("transaction", contexts).text());
        }
        out.append(
                SimulationTables.named("operation", process.byOperation(phase)).text());
    }

    private void code(MissedCode code) {
        line("");
        line(SimulationTables.unresolved(code));
        SimulationTables.ranks(code).forEach(by -> out.append(
                        SimulationTables.places("methods that miss most", code, code.methods(), by, PLACES_MAX)
                                .text())
                .append(SimulationTables.places("lines that miss most", code, code.lines(), by, PLACES_MAX)
                        .text()));
    }

    private void warnings(SimulationResult result) {
        SimulationResult.Step step = result.step();
        if (step != null) {
            line(format(
                    "Cores in step: %,d waits, %,d of them ended by their bound; furthest ahead %,d instructions.",
                    step.waits(), step.waitsBounded(), step.leadInstructionsMax()));
        }
        if (result.turns().taken() > 0) {
            line(format(
                    "Threads of the same core: %,d turns, %,d waits ended by their bound.",
                    result.turns().taken(), result.turns().waitsBounded()));
        }
        if (result.eventsLost() > 0) {
            line(format("Warning: %,d events of threads that waited for a core were lost.", result.eventsLost()));
        }
        if (result.accountsLost() > 0) {
            line(format("Warning: %,d operations were counted as none.", result.accountsLost()));
        }
    }
}
