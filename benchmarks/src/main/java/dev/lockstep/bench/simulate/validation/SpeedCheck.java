package dev.lockstep.bench.simulate.validation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How many instructions a second are simulated, in the measured phase of programs of the validation. */
final class SpeedCheck {
    private static final double MILLION = 1e6;
    private static final double INSTRUCTIONS_ONLY_MILLIONS = 200;
    private static final double PRIVATE_MILLIONS = 60;
    private static final double FULL_MILLIONS = 10;
    private static final double OBSERVERS_FACTOR_MAX = 2;
    private static final int LINE = 64;
    private static final int FULL_CORES = 8;

    /** Each lasts about a second or a few. */
    private static final long SORT_ROUNDS = 100;

    private static final long DISPATCH_ROUNDS = 200;
    private static final long MIXED_ROUNDS = 50;
    private static final long JVM_ROUNDS = 20_000;

    /** Most of the time of the first ten thousand goes to the compiler, whose instructions do not count. */
    private static final long JVM_ROUNDS_BEFORE = 10_000;

    /** The fastest of so many runs counts, since everything else that this machine does only adds time. */
    private static final int REPEATS = 2;

    private static final Geometry INSTRUCTIONS = Geometry.instructionsOnly(Geometry.kib(32, 8, LINE));
    private static final Geometry PRIVATE =
            new Geometry(Geometry.kib(32, 8, LINE), Geometry.kib(48, 12, LINE), null, null, false, 1);
    private static final Geometry FULL = new Geometry(
            Geometry.kib(32, 8, LINE),
            Geometry.kib(48, 12, LINE),
            Geometry.kib(1024, 16, LINE),
            Geometry.kib(16384, 16, LINE),
            false,
            FULL_CORES);

    /** With the one of the machine, 16, 32 and 64 KB, each direct, of 2 and of 8 ways. */
    private static final List<String> EIGHT_OBSERVERS = List.of(
            "observe=l1i:16K,1,64",
            "observe=l1i:16K,2,64",
            "observe=l1i:16K,8,64",
            "observe=l1i:32K,1,64",
            "observe=l1i:32K,2,64",
            "observe=l1i:64K,1,64",
            "observe=l1i:64K,2,64",
            "observe=l1i:64K,8,64");

    private final Validation validation;

    SpeedCheck(Validation validation) {
        this.validation = validation;
    }

    ValidationTable run() throws IOException, InterruptedException {
        List<Check> checks = new ArrayList<>();
        List<String> sort = command("sort", SORT_ROUNDS);
        List<String> dispatch = command("dispatch", DISPATCH_ROUNDS);
        List<String> mixed = command("mixed", MIXED_ROUNDS, FULL_CORES);
        List<String> jvm = JvmComparison.command(JVM_ROUNDS, JVM_ROUNDS_BEFORE);
        checks.add(speed("sort", sort, INSTRUCTIONS, INSTRUCTIONS_ONLY_MILLIONS));
        checks.add(speed("JVM", jvm, INSTRUCTIONS, INSTRUCTIONS_ONLY_MILLIONS));
        checks.add(speed("sort", sort, PRIVATE, PRIVATE_MILLIONS));
        checks.add(speed("JVM", jvm, PRIVATE, PRIVATE_MILLIONS));
        checks.add(speed("mixed, 8 threads", mixed, FULL, FULL_MILLIONS));
        checks.add(observers("sort", sort));
        checks.add(observers("dispatch", dispatch));
        return new ValidationTable(
                "Speed, in millions of instructions a second of wall time",
                "wanted",
                List.of("The measured phase, with what QEMU itself takes, the fastest of " + REPEATS + " runs."),
                checks);
    }

    private List<String> command(String program, long... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(validation.program(program));
        Arrays.stream(arguments).mapToObj(Long::toString).forEach(command::add);
        return command;
    }

    private Check speed(String name, List<String> command, Geometry geometry, double wanted)
            throws IOException, InterruptedException {
        double measured = fastest(name, command, geometry, List.of());
        return Check.of(name, geometry.text(), "million a second", wanted, measured, Bound.atLeast());
    }

    private Check observers(String name, List<String> command) throws IOException, InterruptedException {
        double one = fastest(name, command, INSTRUCTIONS, List.of());
        double nine = fastest(name + " nine", command, INSTRUCTIONS, EIGHT_OBSERVERS);
        return Check.of(
                name,
                INSTRUCTIONS.text() + " and 8 others",
                "times as long as one L1-I",
                OBSERVERS_FACTOR_MAX,
                one / nine,
                Bound.atMost());
    }

    private double fastest(String name, List<String> command, Geometry geometry, List<String> lines)
            throws IOException, InterruptedException {
        double fastest = 0;
        for (int i = 0; i < REPEATS; i++) {
            validation.progress().accept(name + " " + geometry.text());
            Counts counts = validation.simulator().count(command, geometry, lines);
            fastest = Math.max(fastest, counts.get(Quantity.INSTRUCTIONS) / counts.seconds() / MILLION);
        }
        return fastest;
    }
}
