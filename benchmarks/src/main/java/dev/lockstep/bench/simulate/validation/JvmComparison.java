package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.simulate.jvm.StraightCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A JVM in its steady state under the simulator and under cachegrind, with equal flags: misses per 1,000 instructions
 * of the difference between N and 2N rounds of {@link JvmWork}.
 */
final class JvmComparison {
    /** By then everything is compiled: each method is called once a round, and a few hundred calls are enough. */
    static final long ROUNDS = 4000;

    private static final double BOUND_RELATIVE = 0.15;
    private static final double PER = 1000;
    private static final String PROGRAM = JvmWork.class.getName();
    private static final int LINE = 64;

    /** None of which holds all that the program uses, so that each has misses to compare. */
    private static final List<Geometry> GEOMETRIES = List.of(
            Geometry.twoLevels(Geometry.kib(32, 8, LINE), Geometry.kib(32, 8, LINE), Geometry.kib(128, 8, LINE)),
            Geometry.twoLevels(Geometry.kib(16, 4, LINE), Geometry.kib(64, 8, LINE), Geometry.kib(256, 8, LINE)));

    /**
     * The processor's vectors and prefetches that both instruments know, and compilation that waits for nobody: without
     * the tiers below C2, at a fixed number of calls, in the calling thread's time, and of the program alone: compiling
     * what a JVM calls while it starts takes cachegrind several times as long as the rest.
     */
    private static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-Xmx64m",
            "-XX:UseAVX=2",
            "-XX:AllocatePrefetchInstr=0",
            "-XX:-TieredCompilation",
            "-XX:CompileThreshold=200",
            "-XX:CICompilerCount=1",
            "-Xbatch",
            "-XX:-UsePerfData",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=compileonly," + PROGRAM + "::run",
            "-XX:CompileCommand=compileonly," + PROGRAM + "::read",
            "-XX:CompileCommand=compileonly,*." + StraightCode.NAME + "*::*");

    private final Validation validation;

    JvmComparison(Validation validation) {
        this.validation = validation;
    }

    /** A JVM that runs so many rounds. */
    static List<String> command(long rounds) {
        return command(rounds, 0);
    }

    /** A JVM that runs so many rounds in the measured phase, and so many before it. */
    static List<String> command(long rounds, long before) {
        List<String> command = new ArrayList<>(program());
        command.add(Long.toString(rounds));
        command.add(Long.toString(before));
        return command;
    }

    private static List<String> program() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-cp");
        command.add(Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator)));
        command.add(JvmWork.class.getName());
        return command;
    }

    ValidationTable run() throws IOException, InterruptedException {
        List<Check> checks = new ArrayList<>();
        for (Geometry geometry : GEOMETRIES) {
            validation.progress().accept("JVM " + geometry.text());
            Counts expected = validation.cachegrind().difference(program(), List.of(), ROUNDS, List.of(), geometry);
            Counts measured = validation.simulator().difference(program(), List.of(), ROUNDS, List.of(), geometry);
            checks.add(Check.of(
                    "JVM",
                    geometry.text(),
                    "instructions a round",
                    (double) expected.get(Quantity.INSTRUCTIONS) / ROUNDS,
                    (double) measured.get(Quantity.INSTRUCTIONS) / ROUNDS,
                    Bound.within(BOUND_RELATIVE)));
            for (Quantity quantity : List.of(Quantity.L1I_MISSES, Quantity.L1D_MISSES, Quantity.LAST_MISSES)) {
                checks.add(Check.of(
                        "JVM",
                        geometry.text(),
                        quantity.title() + " per 1,000",
                        perThousand(expected, quantity),
                        perThousand(measured, quantity),
                        Bound.within(BOUND_RELATIVE)));
            }
        }
        return new ValidationTable(
                "A JVM beside cachegrind, in its steady state",
                "cachegrind",
                List.of(
                        "Per 1,000 instructions of the difference between a run of twice " + ROUNDS
                                + " rounds and one of"
                                + " as many. In its steady state one thread runs.",
                        "Flags on both sides: " + String.join(" ", FLAGS)),
                checks);
    }

    private static double perThousand(Counts counts, Quantity quantity) {
        return PER * counts.get(quantity) / counts.get(Quantity.INSTRUCTIONS);
    }
}
