package dev.lockstep.bench.simulate;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Table;
import dev.lockstep.bench.simulate.MissedCode.Misses;
import dev.lockstep.bench.simulate.MissedCode.Place;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Tables of a simulation that the text and the page have in common. */
final class SimulationTables {
    private static final double PERCENT = 100;
    private static final SequencedMap<String, ToLongFunction<Misses>> COUNTS = new LinkedHashMap<>();

    private static final String L1I = "l1i misses";
    private static final String L1D = "l1d misses";
    private static final String BRANCHES = "branches mispredicted";

    /** Counts by which places are ranked. */
    private static final Set<String> RANKS = Set.of(L1I, L1D, BRANCHES);

    static {
        COUNTS.put(L1I, Misses::l1i);
        COUNTS.put(L1D, Misses::l1d);
        COUNTS.put("l2 misses", Misses::l2);
        COUNTS.put("llc misses", Misses::llc);
        COUNTS.put(BRANCHES, Misses::branches);
    }

    private SimulationTables() {}

    /** By what places are ranked: misses of the first levels and mispredictions, where there are any. */
    static List<String> ranks(MissedCode code) {
        return COUNTS.entrySet().stream()
                .filter(count ->
                        RANKS.contains(count.getKey()) && count.getValue().applyAsLong(code.totals()) > 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Misses and cycles of what has names. */
    static Table named(String what, List<SimulatedProcess.Named> all) {
        List<String> levels = all.isEmpty()
                ? List.of()
                : List.copyOf(all.getFirst().counts().levels().keySet());
        List<String> headers = new ArrayList<>(List.of(what, "instructions", "share of cycles, %"));
        headers.add("cycles an instr.");
        levels.forEach(level -> headers.add(level + " per 1,000"));
        long cycles = all.stream().mapToLong(named -> named.counts().cycles()).sum();
        Table.Builder table = Table.of(1, headers);
        for (SimulatedProcess.Named named : all) {
            SimulationResult.Counts counts = named.counts();
            List<String> cells = new ArrayList<>(List.of(
                    named.name(),
                    format("%,d", counts.instructions()),
                    format("%.1f", cycles == 0 ? 0 : PERCENT * counts.cycles() / cycles),
                    format("%.2f", (double) counts.cycles() / counts.instructions())));
            for (String level : levels) {
                cells.add(format(
                        "%.3f",
                        counts.perThousandInstructions(
                                counts.levels().get(level).misses())));
            }
            table.row(cells);
        }
        return table.build();
    }

    /** By what the clock goes, of which the table of {@link #time} is. */
    static String latencies(SimulationResult result) {
        return "An instruction takes a cycle. What a miss adds, in cycles, by what answers it: "
                + result.latencyCycles().entrySet().stream()
                        .map(latency -> latency.getKey() + " " + latency.getValue())
                        .collect(Collectors.joining(", "))
                + ".";
    }

    /** Where the cycles of all went. */
    static Table time(SimulationResult.Phase phase) {
        Table.Builder table = Table.of(1, "cycles for", "cycles", "share, %", "an instruction");
        SimulationResult.Counts total = phase.total();
        TimeBreakdown.of(total).forEach((part, cycles) -> {
            if (cycles > 0) {
                table.row(time(part, cycles, total));
            }
        });
        long mispredictions = TimeBreakdown.mispredictionCycles(phase.branches());
        if (mispredictions > 0) {
            table.row(time(
                    TimeBreakdown.MISPREDICTIONS + ", at " + TimeBreakdown.MISPREDICTION_CYCLES
                            + " cycles, not in the clock",
                    mispredictions,
                    total));
        }
        return table.build();
    }

    private static List<String> time(String part, long cycles, SimulationResult.Counts total) {
        return List.of(
                part,
                format("%,d", cycles),
                format("%.1f", PERCENT * cycles / Math.max(1, total.cycles())),
                Figures.plain((double) cycles / Math.max(1, total.instructions())));
    }

    /** The places that have most of what they are {@linkplain #ranks ranked} by. */
    static Table places(String what, MissedCode code, List<Place> places, String by, int count) {
        ToLongFunction<Misses> rank = COUNTS.get(by);
        List<Map.Entry<String, ToLongFunction<Misses>>> others = COUNTS.entrySet().stream()
                .filter(other -> !other.getKey().equals(by) && other.getValue().applyAsLong(code.totals()) > 0)
                .toList();
        List<String> headers = new ArrayList<>(List.of(what, by, "share, %"));
        others.forEach(other -> headers.add(other.getKey()));
        Table.Builder table = Table.of(1, headers);
        for (Place place : MissedCode.most(places, rank, count)) {
            long misses = rank.applyAsLong(place.misses());
            List<String> cells = new ArrayList<>(List.of(
                    place.name(),
                    format("%,d", misses),
                    format("%.2f", PERCENT * misses / rank.applyAsLong(code.totals()))));
            others.forEach(other -> cells.add(format("%,d", other.getValue().applyAsLong(place.misses()))));
            table.row(cells);
        }
        return table.build();
    }

    /** How much of the misses has no place. */
    static String unresolved(MissedCode code) {
        return format(
                "Not resolved to code: %.2f %% of the misses of the first level (at most %.0f %%).",
                PERCENT * code.unresolvedShare(), PERCENT * MissedCode.UNRESOLVED_SHARE_MAX);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
