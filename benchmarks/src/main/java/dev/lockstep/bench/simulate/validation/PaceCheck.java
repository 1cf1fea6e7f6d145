package dev.lockstep.bench.simulate.validation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Do simulated cores keep step? Threads that add to one shared line about every 1,000 instructions would, at equal
 * speed, find it taken by another thread at almost every addition.
 */
final class PaceCheck {
    private static final int LINE = 64;
    private static final long ADDITIONS = 2000;
    private static final double REPEAT_DISTANCE_MAX = 0.01;

    /** Threads, and the share of additions at which the line changes its owner at least. */
    private static final Map<Integer, Double> SHARE_MIN = Map.of(4, 0.84, 8, 0.90, 32, 0.95);

    private final Validation validation;

    PaceCheck(Validation validation) {
        this.validation = validation;
    }

    ValidationTable run() throws IOException, InterruptedException {
        List<Check> checks = new ArrayList<>();
        for (Map.Entry<Integer, Double> threads : new TreeMap<>(SHARE_MIN).entrySet()) {
            String program = "adders " + threads.getKey() + " threads";
            validation.progress().accept(program);
            Geometry geometry = new Geometry(
                    Geometry.kib(32, 8, LINE),
                    Geometry.kib(48, 12, LINE),
                    null,
                    Geometry.kib(1024, 16, LINE),
                    false,
                    threads.getKey());
            double first = share(threads.getKey(), geometry);
            double second = share(threads.getKey(), geometry);
            checks.add(Check.of(program, geometry.text(), "owner changes", threads.getValue(), first, Bound.atLeast()));
            checks.add(Check.of(
                    program,
                    geometry.text(),
                    "in a second run",
                    first,
                    second,
                    new Bound(Bound.Kind.EQUAL, 0, REPEAT_DISTANCE_MAX)));
        }
        return new ValidationTable(
                "Cores in step",
                "expected",
                List.of("The share of additions to one line, about 1,000 instructions apart in each thread, before"
                        + " which another thread took the line."),
                checks);
    }

    private double share(int threads, Geometry geometry) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(validation.program("sharing"));
        command.addAll(List.of("adders", Long.toString(ADDITIONS), Integer.toString(threads)));
        Counts counts = validation.simulator().count(command, geometry);
        return (double) counts.get(Quantity.TRUE_SHARING) / (ADDITIONS * threads);
    }
}
