package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.codemap.CodeEvents;
import dev.lockstep.bench.codemap.CodeLines;
import dev.lockstep.bench.codemap.CodeResolver;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.simulate.SimulationResult;
import dev.lockstep.bench.simulate.SimulationResult.Branches;
import dev.lockstep.bench.simulate.SimulationResult.Counts;
import dev.lockstep.bench.simulate.SimulationResult.LevelCounts;
import dev.lockstep.bench.simulate.WorkloadThreads;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * What one simulated JVM left.
 *
 * @param spec what it ran
 * @param instructionCaches how many of the caches that observed are of instructions; those of data follow
 * @param result what the simulator counted
 * @param lines the code that was executed
 * @param events what lay there
 * @param counted what the JVM itself counted
 * @param verdict how far to believe it
 */
record FetchRun(
        FetchSpec spec,
        int instructionCaches,
        SimulationResult result,
        CodeLines lines,
        CodeEvents events,
        FetchTimes counted,
        Verdict verdict) {
    private static final int LINE_BYTES = 64;

    /** A round of one size. */
    TeamMisses round(int size, boolean cold) {
        TeamMisses round = round(spec.members().get(size), cold, phase(FetchPhases.phase(size, cold)));
        return cold ? minus(round, round(0, true, phase(FetchPhases.emptyPhase(size)))) : round;
    }

    /** The code of one operation, by a team of one. */
    SimulatedFetch.Footprint footprint() {
        int one = spec.members().indexOf(1);
        int phase = FetchPhases.phase(one, false);
        return new SimulatedFetch.Footprint(
                spec.kind(),
                footprint(phase, FetchPhases.ROUNDS_WARM / 2),
                footprint(phase, 1),
                round(one, false).instructions(),
                counted.times().getLast().switches());
    }

    private SimulationResult.Phase phase(int number) {
        return result.phases().stream()
                .filter(phase -> phase.phase() == number)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the simulator has not seen a phase: phase=" + number));
    }

    private TeamMisses round(int members, boolean cold, SimulationResult.Phase phase) {
        double rounds = FetchPhases.rounds(cold);
        Counts counts = phase.total();
        Branches branches = phase.branches();
        List<Double> observed = observed(phase, rounds);
        return new TeamMisses(
                spec.kind(),
                members,
                cold,
                counts.instructions() / rounds,
                counts.cycles() / rounds,
                (branches.conditional() + branches.indirect() + branches.returns()) / rounds,
                branches.mispredicted() / rounds,
                misses(phase, "l1i") / rounds,
                misses(phase, "l1d") / rounds,
                misses(phase, "l2") / rounds,
                observed.subList(0, instructionCaches),
                observed.subList(instructionCaches, observed.size()));
    }

    private static double misses(SimulationResult.Phase phase, String level) {
        LevelCounts all = phase.total().levels().get(level);
        return all == null ? 0 : all.misses();
    }

    private static List<Double> observed(SimulationResult.Phase phase, double rounds) {
        return phase.total().observerMisses().stream()
                .map(misses -> misses / rounds)
                .toList();
    }

    /** Without what the marks of a cold round cost. */
    private static TeamMisses minus(TeamMisses round, TeamMisses empty) {
        return new TeamMisses(
                round.kind(),
                round.members(),
                round.cold(),
                round.instructions() - empty.instructions(),
                round.cycles() - empty.cycles(),
                round.branches() - empty.branches(),
                round.mispredicted() - empty.mispredicted(),
                round.l1i() - empty.l1i(),
                round.l1d() - empty.l1d(),
                round.l2() - empty.l2(),
                minus(round.observed(), empty.observed()),
                minus(round.observedData(), empty.observedData()));
    }

    private static List<Double> minus(List<Double> misses, List<Double> empty) {
        return IntStream.range(0, misses.size())
                .mapToObj(i -> misses.get(i) - empty.get(i))
                .toList();
    }

    /** Bytes of the lines that were executed at least so often in a phase. */
    private long footprint(int phase, long countMin) {
        Set<Long> executed = new HashSet<>();
        lines.contexts().forEach((context, counts) -> {
            if (context.phase() == phase && WorkloadThreads.KINDS.contains(context.threadKind())) {
                counts.each((block, count, stays) -> {
                    if (count >= countMin) {
                        long first = lines.address(block) / LINE_BYTES;
                        long last = (lines.address(block) + Math.max(1, lines.bytes(block)) - 1) / LINE_BYTES;
                        for (long line = first; line <= last; line++) {
                            executed.add(line);
                        }
                    }
                });
            }
        });
        return executed.size() * (long) LINE_BYTES;
    }

    /** Distinct bytes of the methods of these names that were executed in the warm rounds of a size. */
    long executedBytes(int size, Predicate<String> methods) {
        CodeResolver resolver = new CodeResolver(events);
        Set<Long> executed = new HashSet<>();
        lines.contexts().forEach((context, counts) -> {
            if (context.phase() == FetchPhases.phase(size, false)
                    && WorkloadThreads.KINDS.contains(context.threadKind())) {
                counts.each((block, count, stays) -> {
                    long address = lines.address(block);
                    if (methods.test(resolver.find(address, lines.epoch(block)).name())) {
                        for (int i = 0; i < lines.bytes(block); i++) {
                            executed.add(address + i);
                        }
                    }
                });
            }
        });
        return executed.size();
    }
}
