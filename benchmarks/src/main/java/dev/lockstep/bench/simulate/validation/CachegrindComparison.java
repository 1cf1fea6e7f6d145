package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.simulate.CacheShape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Ordinary programs under the simulator and under cachegrind, with the same caches, as the difference between N and 2N
 * rounds.
 */
final class CachegrindComparison {
    private static final double BOUND_RELATIVE = 0.01;
    private static final int LINE = 64;

    /** A size that these programs partly fit, and one so small that code misses too. */
    private static final List<Geometry> GEOMETRIES = List.of(
            Geometry.twoLevels(Geometry.kib(32, 8, LINE), Geometry.kib(32, 8, LINE), Geometry.kib(256, 8, LINE)),
            Geometry.twoLevels(new CacheShape(512, 2, LINE), Geometry.kib(4, 2, LINE), Geometry.kib(32, 4, LINE)));

    private final Validation validation;

    CachegrindComparison(Validation validation) {
        this.validation = validation;
    }

    ValidationTable run() throws IOException, InterruptedException {
        List<Check> checks = new ArrayList<>();
        for (Map.Entry<String, Long> program : new TreeMap<>(Validation.ordinaryRounds()).entrySet()) {
            for (Geometry geometry : validation.brief() ? GEOMETRIES.subList(0, 1) : GEOMETRIES) {
                validation.progress().accept(program.getKey() + " " + geometry.text());
                List<String> command = validation.program(program.getKey());
                Counts expected =
                        validation.cachegrind().difference(command, List.of(), program.getValue(), List.of(), geometry);
                Counts measured =
                        validation.simulator().difference(command, List.of(), program.getValue(), List.of(), geometry);
                for (Quantity quantity : List.of(
                        Quantity.INSTRUCTIONS, Quantity.L1I_MISSES, Quantity.L1D_MISSES, Quantity.LAST_MISSES)) {
                    checks.add(Check.ofCounts(
                            program.getKey() + " " + program.getValue(),
                            geometry,
                            quantity,
                            expected.get(quantity),
                            measured.get(quantity),
                            Bound.within(BOUND_RELATIVE)));
                }
            }
        }
        return new ValidationTable(
                "Static C programs beside cachegrind",
                "cachegrind",
                List.of(
                        "The difference between a run of twice as many rounds and one of as many; L1s and one last"
                                + " level, nothing inclusive.",
                        "Known to differ: cachegrind counts an access that misses in two lines as one miss, the"
                                + " simulator as two; it has no write-backs, which here change no count either."),
                checks);
    }
}
