package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.SimulatedPhases;
import dev.lockstep.bench.simulate.jvm.SimulatedTime;
import dev.lockstep.bench.simulate.jvm.StackSampler;
import dev.lockstep.bench.simulate.jvm.StraightCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Executes the rounds of all sizes in a simulated JVM, marked as phases, or as its control, sampled. */
final class CountedFetchChild {
    /** Together some 280 KB of code, several times what the largest observed cache holds. */
    private static final int FLOOD_METHODS = 192;

    private static final int FLOOD_STEPS = 60;

    /** Enough for C1 to compile the generated methods, and with those that follow too few for C2. */
    private static final int FLOODS_BEFORE = 400;

    /** Executed before anything is marked, so that C2 compiles what they execute; {@link FetchJudge} says if it has. */
    private static final int OPERATIONS_BEFORE = 200_000;

    private final FetchSpec spec;
    private final IntUnaryOperator code = StraightCode.make(FLOOD_METHODS, FLOOD_STEPS);

    @SuppressWarnings("UnusedVariable") // written so that no compiler leaves the code out
    private int flooded;

    CountedFetchChild(FetchSpec spec) {
        this.spec = spec;
    }

    private void flood() {
        flooded = code.applyAsInt(flooded);
    }

    /** Executes all rounds; returns their switches in place of times. */
    FetchTimes run(Path directory) throws IOException, InterruptedException {
        if (spec.samples() != null) {
            StackSampler.prepare();
        }
        try (FetchRounds rounds = new FetchRounds(spec, directory)) {
            for (int i = 0; i < FLOODS_BEFORE; i++) {
                flood();
            }
            for (long done = 0; done < OPERATIONS_BEFORE; ) {
                done += unmarked(rounds);
            }
            CompiledPadding padding = CompiledPadding.complete(spec.paddingBytes(), directory, () -> unmarked(rounds));
            SimulatedPhases.tellJvm();
            dryRun(rounds);
            Json.write(
                    directory.resolve(RoundsState.FILE),
                    new RoundsState(
                            SimulatedTime.description(),
                            CompiledMethod.here(directory.resolve(GuestOptions.COMPILATIONS))));
            if (spec.samples() != null) {
                sample(rounds);
            }
            List<FetchTimes.Time> counted = new ArrayList<>();
            for (int i = 0; i < spec.members().size(); i++) {
                counted.add(size(rounds, i));
            }
            return new FetchTimes(spec.kind(), false, padding.bytes(), counted);
        }
    }

    /** The rounds of all sizes; returns their operations. */
    private long unmarked(FetchRounds rounds) throws InterruptedException {
        long operations = 0;
        for (int members : spec.members()) {
            for (boolean cold : new boolean[] {true, false}) {
                rounds.run(members, 1, FetchPhases.unmarked(cold));
                operations += (long) members * spec.operationsEach();
            }
        }
        return operations;
    }

    /** The warm rounds of all sizes, as often as it takes to tell shares by samples. */
    private void sample(FetchRounds rounds) throws InterruptedException {
        StackSampler.start();
        long beginNanos = System.nanoTime();
        do {
            for (int members : spec.members()) {
                rounds.run(members, 1, FetchPhases.unmarked(false));
            }
        } while (System.nanoTime() - beginNanos < StackSampler.TIME_MIN.toNanos());
        StackSampler.stop(Path.of(spec.samples()));
    }

    /** What is executed for the first time within a phase would be compiled there. */
    private void dryRun(FetchRounds rounds) throws InterruptedException {
        for (int i = 0; i < spec.members().size(); i++) {
            for (boolean cold : new boolean[] {true, false}) {
                FetchPhases dry = FetchPhases.dry(cold, this::flood);
                rounds.run(spec.members().get(i), 1, dry);
            }
        }
    }

    private FetchTimes.Time size(FetchRounds rounds, int size) throws InterruptedException {
        int members = spec.members().get(size);
        rounds.resetSwitches();
        for (boolean cold : new boolean[] {true, false}) {
            FetchPhases phases = FetchPhases.of(size, cold, this::flood);
            rounds.run(members, 1, phases);
        }
        double operations = 2.0 * members * spec.operationsEach();
        return new FetchTimes.Time(
                members, (long) operations, 0, rounds.switches() / operations, 1e3 * rounds.left() / operations);
    }
}
