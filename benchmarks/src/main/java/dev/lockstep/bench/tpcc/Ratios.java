package dev.lockstep.bench.tpcc;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Ratios of throughput between the configurations of one command. Those without both sides are absent.
 *
 * @param stepsOverJdk STEPS over the JDK's scheduling
 * @param control the first configuration over itself, which shows what a difference must exceed to mean anything
 * @param lockstepOverPeer each scheduling of Lockstep over each other engine, peers at their best connection count
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Ratios(RatioReport stepsOverJdk, RatioReport control, List<RatioReport> lockstepOverPeer) {
    /**
     * Forms all ratios that the runs allow; failed runs count for nothing.
     *
     * @param connections the best number of each engine that was tried with several; its other runs do not count
     */
    static Ratios of(List<RunReport> runs, Map<String, Integer> connections) {
        List<String> labels = runs.stream()
                .filter(run -> !run.control())
                .filter(run -> connections.getOrDefault(run.engine(), run.threads()) == run.threads())
                .map(RunReport::label)
                .distinct()
                .toList();
        List<RatioReport> peers = new ArrayList<>();
        for (String lockstep : labels) {
            for (String peer : labels) {
                if (scheduled(runs, lockstep) && !scheduled(runs, peer)) {
                    RatioReport ratio = ratio(runs, labelled(lockstep), labelled(peer), lockstep, peer);
                    if (ratio != null) {
                        peers.add(ratio);
                    }
                }
            }
        }
        String jdk = Spelling.of(Scheduling.JDK);
        String steps = Spelling.of(Scheduling.STEPS);
        String first = labels.isEmpty() ? "" : labels.getFirst();
        return new Ratios(
                ratio(
                        runs,
                        run -> run.scheduler().equals(steps) && !run.control(),
                        run -> run.scheduler().equals(jdk) && !run.control(),
                        steps,
                        jdk),
                ratio(runs, RunReport::control, labelled(first), first + " (control)", first),
                List.copyOf(peers));
    }

    private static boolean scheduled(List<RunReport> runs, String label) {
        return runs.stream()
                .anyMatch(
                        run -> run.label().equals(label) && run.configuration().engineName() == EngineName.LOCKSTEP);
    }

    private static Predicate<RunReport> labelled(String label) {
        return run -> run.label().equals(label);
    }

    private static RatioReport ratio(
            List<RunReport> runs,
            Predicate<RunReport> numerator,
            Predicate<RunReport> denominator,
            String numeratorLabel,
            String denominatorLabel) {
        int repeats = runs.stream().mapToInt(RunReport::repeat).max().orElse(0);
        List<Double> ratios = new ArrayList<>();
        for (int repeat = 1; repeat <= repeats; repeat++) {
            double above = throughput(runs, repeat, numerator);
            double below = throughput(runs, repeat, denominator);
            if (above > 0 && below > 0) {
                ratios.add(above / below);
            }
        }
        return ratios.isEmpty() ? null : RatioReport.of(numeratorLabel, denominatorLabel, ratios);
    }

    private static double throughput(List<RunReport> runs, int repeat, Predicate<RunReport> which) {
        return runs.stream()
                .filter(run -> run.repeat() == repeat && run.failure().isEmpty())
                .filter(which)
                .mapToDouble(RunReport::txnPerSecond)
                .findFirst()
                .orElse(0);
    }

    /** All ratios there are, the main one first. */
    List<RatioReport> all() {
        return Stream.concat(Stream.of(stepsOverJdk, control), lockstepOverPeer.stream())
                .filter(Objects::nonNull)
                .toList();
    }
}
