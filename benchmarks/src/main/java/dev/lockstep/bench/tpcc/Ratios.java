package dev.lockstep.bench.tpcc;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Ratios of throughput between the configurations of one command. Those without both sides are absent, but for
 * {@code stepsOverJdk}, which is null in JSON then: whoever reads results looks for it first.
 *
 * <p>Of several variants the first one counts, but for {@code overFirstVariant} and {@code lockstepOverPeer}. Both
 * sides of these differ in one thing each: what tells variants apart or how work is put together; the engine.
 *
 * @param stepsOverJdk STEPS with teams and batches over the JDK's scheduling with neither
 * @param schedulingAlone STEPS over the JDK's scheduling where neither side was run as above: the same batches on both
 * @param teamsOnOverOff STEPS with teams and batches over STEPS with neither
 * @param batchesOverNeither STEPS with batches alone over STEPS with neither
 * @param teamsOverBatches STEPS with teams and batches over STEPS with batches alone
 * @param control the first configuration over itself, which shows what a difference must exceed to mean anything
 * @param overFirstVariant each variant of Lockstep over the first one with the same scheduling and grouping, and each
 *     grouping of the first variant over its first one
 * @param lockstepOverPeer each run of Lockstep over each other engine with as many cores and terminals, peers at their
 *     best connection count
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Ratios(
        @JsonInclude RatioReport stepsOverJdk,
        RatioReport schedulingAlone,
        RatioReport teamsOnOverOff,
        RatioReport batchesOverNeither,
        RatioReport teamsOverBatches,
        RatioReport control,
        List<RatioReport> overFirstVariant,
        List<RatioReport> lockstepOverPeer) {
    /**
     * Forms all ratios that the runs allow; runs that were given up, or in which a check failed, count for nothing.
     *
     * @param connections the best number of each engine that was tried with several; its other runs do not count
     */
    static Ratios of(List<RunReport> runs, Map<String, Integer> connections) {
        List<RunReport> labelled = runs.stream()
                .filter(run -> !run.control())
                .filter(run -> connections.getOrDefault(run.engine(), run.threads()) == run.threads())
                .filter(distinctLabels())
                .toList();
        String first = labelled.isEmpty() ? "" : labelled.getFirst().label();
        List<RunReport> grouped = groupings(runs);
        RunReport jdk = firstOf(grouped, spec -> spec.scheduling() == Scheduling.JDK && !spec.batches());
        RunReport both = firstOf(grouped, spec -> spec.usesTeams() && spec.batches());
        RunReport batches = firstOf(grouped, spec -> isWithoutTeams(spec) && spec.batches());
        RunReport neither = firstOf(grouped, spec -> isWithoutTeams(spec) && !spec.batches());
        RatioReport stepsOverJdk = ratio(runs, both, jdk);
        return new Ratios(
                stepsOverJdk,
                stepsOverJdk == null ? schedulingAlone(runs, grouped) : null,
                ratio(runs, both, neither),
                ratio(runs, batches, neither),
                ratio(runs, both, batches),
                ratio(runs, RunReport::control, labelled(first), first + " (control)", first),
                overFirstVariant(runs),
                lockstepOverPeer(runs, labelled));
    }

    private static Predicate<RunReport> distinctLabels() {
        Set<String> labels = new HashSet<>();
        return run -> labels.add(run.label());
    }

    private static List<RatioReport> lockstepOverPeer(List<RunReport> runs, List<RunReport> labelled) {
        List<RatioReport> ratios = new ArrayList<>();
        for (RunReport lockstep : labelled) {
            for (RunReport peer : labelled) {
                RunSpec above = lockstep.configuration();
                RunSpec below = peer.configuration();
                if (above.engineName() == EngineName.LOCKSTEP
                        && below.engineName() != EngineName.LOCKSTEP
                        && above.cores() == below.cores()
                        && above.terminals() == below.terminals()) {
                    addIfFormed(ratios, ratio(runs, lockstep, peer));
                }
            }
        }
        return List.copyOf(ratios);
    }

    private static void addIfFormed(List<RatioReport> ratios, RatioReport ratio) {
        if (ratio != null) {
            ratios.add(ratio);
        }
    }

    private static RatioReport schedulingAlone(List<RunReport> runs, List<RunReport> grouped) {
        RunReport steps = firstOf(grouped, spec -> spec.scheduling() == Scheduling.STEPS);
        return steps == null
                ? null
                : ratio(
                        runs,
                        steps,
                        firstOf(
                                grouped,
                                spec -> spec.scheduling() == Scheduling.JDK
                                        && spec.batches()
                                                == steps.configuration().batches()));
    }

    /** One run of each grouping of Lockstep, of the first variant. */
    private static List<RunReport> groupings(List<RunReport> runs) {
        List<RunReport> lockstep = runs.stream()
                .filter(run -> run.configuration().engineName() == EngineName.LOCKSTEP && !run.control())
                .filter(run -> run.repeat() == 1)
                .toList();
        return lockstep.stream()
                .filter(run -> run.configuration()
                        .variant()
                        .equals(lockstep.getFirst().configuration().variant()))
                .toList();
    }

    private static RunReport firstOf(List<RunReport> runs, Predicate<RunSpec> wanted) {
        return runs.stream()
                .filter(run -> wanted.test(run.configuration()))
                .findFirst()
                .orElse(null);
    }

    private static boolean isWithoutTeams(RunSpec spec) {
        return spec.scheduling() == Scheduling.STEPS && !spec.usesTeams();
    }

    private static RatioReport ratio(List<RunReport> runs, RunReport above, RunReport below) {
        return above == null || below == null
                ? null
                : ratio(runs, labelled(above.label()), labelled(below.label()), above.label(), below.label());
    }

    private static List<RatioReport> overFirstVariant(List<RunReport> runs) {
        List<RatioReport> ratios = new ArrayList<>();
        List<RunReport> lockstep = runs.stream()
                .filter(run -> run.configuration().engineName() == EngineName.LOCKSTEP && !run.control())
                .filter(run -> run.repeat() == 1)
                .toList();
        for (RunReport run : lockstep) {
            List<RunReport> alike = lockstep.stream()
                    .filter(other -> other.scheduler().equals(run.scheduler()))
                    .toList();
            String firstVariant = alike.getFirst().configuration().variant();
            boolean isOfFirst = run.configuration().variant().equals(firstVariant);
            RunReport first = firstOf(
                    alike,
                    spec -> isOfFirst
                            ? spec.variant().equals(firstVariant)
                            : spec.grouping().equals(run.configuration().grouping()));
            if (!first.label().equals(run.label())) {
                addIfFormed(ratios, ratio(runs, run, first));
            }
        }
        return ratios;
    }

    private static Predicate<RunReport> labelled(String label) {
        return run -> run.label().equals(label) && !run.control();
    }

    private static RatioReport ratio(
            List<RunReport> runs,
            Predicate<RunReport> numerator,
            Predicate<RunReport> denominator,
            String numeratorLabel,
            String denominatorLabel) {
        int repeats = runs.stream().mapToInt(RunReport::repeat).max().orElse(0);
        List<RatioReport.Pair> pairs = new ArrayList<>();
        for (int repeat = 1; repeat <= repeats; repeat++) {
            RunReport above = counted(runs, repeat, numerator);
            RunReport below = counted(runs, repeat, denominator);
            if (above != null && below != null) {
                pairs.add(new RatioReport.Pair(above, below));
            }
        }
        return RatioReport.of(numeratorLabel, denominatorLabel, pairs);
    }

    private static RunReport counted(List<RunReport> runs, int repeat, Predicate<RunReport> which) {
        return runs.stream()
                .filter(run -> run.repeat() == repeat && run.ok())
                .filter(which)
                .findFirst()
                .orElse(null);
    }

    /** All ratios there are, the main one first; each once, also where it has two names. */
    List<RatioReport> all() {
        return Stream.of(
                        Arrays.asList(
                                stepsOverJdk,
                                schedulingAlone,
                                teamsOnOverOff,
                                batchesOverNeither,
                                teamsOverBatches,
                                control)
                                .stream(),
                        overFirstVariant.stream(),
                        lockstepOverPeer.stream())
                .flatMap(stream -> stream)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }
}
