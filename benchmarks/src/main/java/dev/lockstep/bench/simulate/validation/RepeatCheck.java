package dev.lockstep.bench.simulate.validation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs that are repeated with one seed: a program of one thread at fixed addresses is the same, a JVM nearly so. */
final class RepeatCheck {
    private static final double INSTRUCTIONS_RELATIVE = 0.01;
    private static final double MISSES_RELATIVE = 0.03;

    /** A class of misses that makes less of all misses than this is not compared. */
    private static final double SHARE_MIN = 0.01;

    private static final int LINE = 64;
    private static final Geometry GEOMETRY =
            Geometry.twoLevels(Geometry.kib(32, 8, LINE), Geometry.kib(32, 8, LINE), Geometry.kib(256, 8, LINE));
    private static final List<Quantity> MISSES =
            List.of(Quantity.L1I_MISSES, Quantity.L1D_MISSES, Quantity.LAST_MISSES);

    private final Validation validation;

    RepeatCheck(Validation validation) {
        this.validation = validation;
    }

    ValidationTable run() throws IOException, InterruptedException {
        List<Check> checks = new ArrayList<>();
        for (Map.Entry<String, Long> program : new TreeMap<>(Validation.ordinaryRounds()).entrySet()) {
            validation.progress().accept(program.getKey() + " twice");
            List<String> command = new ArrayList<>(validation.program(program.getKey()));
            command.add(Long.toString(program.getValue()));
            Counts first = validation.simulator().count(command, GEOMETRY);
            Counts second = validation.simulator().count(command, GEOMETRY);
            checks.addAll(compare(program.getKey(), first, second, Bound.exact(), Bound.exact()));
        }
        if (!validation.brief()) {
            validation.progress().accept("JVM twice");
            List<String> command = JvmComparison.command(JvmComparison.ROUNDS);
            Counts first = validation.simulator().count(command, GEOMETRY);
            Counts second = validation.simulator().count(command, GEOMETRY);
            checks.addAll(
                    compare("JVM", first, second, Bound.within(INSTRUCTIONS_RELATIVE), Bound.within(MISSES_RELATIVE)));
        }
        return new ValidationTable(
                "The same run twice",
                "first run",
                List.of("The measured phase of each run. Of a JVM, kinds of misses that make at least 1 % of all."),
                checks);
    }

    private static List<Check> compare(String program, Counts first, Counts second, Bound instructions, Bound misses) {
        List<Check> checks = new ArrayList<>();
        checks.add(check(program, Quantity.INSTRUCTIONS, first, second, instructions));
        long all = MISSES.stream().mapToLong(first::get).sum();
        for (Quantity quantity : MISSES) {
            if (misses.equals(Bound.exact()) || first.get(quantity) >= SHARE_MIN * all) {
                checks.add(check(program, quantity, first, second, misses));
            }
        }
        return checks;
    }

    private static Check check(String program, Quantity quantity, Counts first, Counts second, Bound bound) {
        return Check.ofCounts(program, GEOMETRY, quantity, first.get(quantity), second.get(quantity), bound);
    }
}
