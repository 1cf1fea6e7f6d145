package dev.lockstep.bench.steps;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What was counted on the simulated machine.
 *
 * @param notRun why nothing was, or null
 * @param overNeither events of each transaction over those of neither, by variant and event
 * @param continuationOverSerial the same of continuation over its original, absent without both
 * @param runs one for each variant
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record SimulatedFigures(
        String notRun,
        Map<String, Map<String, Double>> overNeither,
        Map<String, Double> continuationOverSerial,
        List<SimulatedRun> runs) {
    /** Of what cannot run here. */
    static SimulatedFigures notRun(String reason) {
        return new SimulatedFigures(reason, Map.of(), null, List.of());
    }

    /** Of runs that were made. */
    static SimulatedFigures of(List<SimulatedRun> runs) {
        Map<String, Map<String, Double>> overNeither = new LinkedHashMap<>();
        for (StepsVariant variant : StepsVariant.values()) {
            if (variant != StepsVariant.NEITHER) {
                over(runs, variant, StepsVariant.NEITHER)
                        .ifPresent(ratios -> overNeither.put(variant.spelled(), ratios));
            }
        }
        return new SimulatedFigures(
                null,
                overNeither,
                over(runs, StepsVariant.CONTINUATION, StepsVariant.SERIAL).orElse(null),
                List.copyOf(runs));
    }

    /** The options by which both sides of the simulated runs had the same flags; empty where none has told. */
    List<String> forced() {
        return runs.stream()
                .map(SimulatedRun::check)
                .filter(Objects::nonNull)
                .findFirst()
                .map(check -> check.flags().forced())
                .orElse(List.of());
    }

    private static Optional<Map<String, Double>> over(List<SimulatedRun> runs, StepsVariant above, StepsVariant below) {
        return measured(runs, above)
                .flatMap(numerator -> measured(runs, below).map(denominator -> over(numerator, denominator)));
    }

    private static Optional<SimulatedRun> measured(List<SimulatedRun> runs, StepsVariant variant) {
        return runs.stream()
                .filter(run -> run.variant() == variant && run.counts())
                .findFirst();
    }

    private static Map<String, Double> over(SimulatedRun run, SimulatedRun other) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        Stream.of(run.events(), run.observed())
                .map(Map::keySet)
                .flatMap(Set::stream)
                .forEach(event -> {
                    double ratio = each(run, event) / each(other, event);
                    if (Double.isFinite(ratio)) {
                        ratios.put(event, ratio);
                    }
                });
        return ratios;
    }

    /** Of each transaction, of the machine or of a further cache. */
    static double each(SimulatedRun run, String event) {
        return run.each(run.events().containsKey(event) ? run.events() : run.observed(), event);
    }
}
