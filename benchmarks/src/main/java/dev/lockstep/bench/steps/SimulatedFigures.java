package dev.lockstep.bench.steps;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What was counted on the simulated machine.
 *
 * @param notRun why nothing was, or null
 * @param overNeither events of each transaction over those of neither, by variant and event
 * @param runs one for each variant
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record SimulatedFigures(String notRun, Map<String, Map<String, Double>> overNeither, List<SimulatedRun> runs) {
    /** Of what cannot run here. */
    static SimulatedFigures notRun(String reason) {
        return new SimulatedFigures(reason, Map.of(), List.of());
    }

    /** Of runs that were made. */
    static SimulatedFigures of(List<SimulatedRun> runs) {
        Map<String, Map<String, Double>> overNeither = new LinkedHashMap<>();
        runs.stream()
                .filter(run -> run.variant() == StepsVariant.NEITHER && run.isMeasured())
                .findFirst()
                .ifPresent(neither -> runs.stream()
                        .filter(run -> run.variant() != StepsVariant.NEITHER && run.isMeasured())
                        .forEach(run -> overNeither.put(run.variant().spelled(), over(run, neither))));
        return new SimulatedFigures(null, overNeither, List.copyOf(runs));
    }

    private static Map<String, Double> over(SimulatedRun run, SimulatedRun neither) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        Stream.of(run.events(), run.observed())
                .map(Map::keySet)
                .flatMap(Set::stream)
                .forEach(event -> {
                    double ratio = each(run, event) / each(neither, event);
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
