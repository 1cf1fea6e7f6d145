package dev.lockstep.bench.steps;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.lockstep.bench.tpcc.RatioReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Ratios of throughput on this machine's processor, repetition by repetition, named as those of {@code tpcc}. Those
 * without both sides are absent.
 *
 * @param teamsOnOverOff teams and batches over neither
 * @param batchesOverNeither batches alone over neither
 * @param teamsOverBatches teams and batches over batches alone
 * @param continuationOverSerial continuations that take turns inside operations over those with turns behind them
 * @param control the first variant over itself, which shows what a difference must exceed to mean anything
 * @param overNeither each other variant over neither, by its name
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record NativeRatios(
        RatioReport teamsOnOverOff,
        RatioReport batchesOverNeither,
        RatioReport teamsOverBatches,
        RatioReport continuationOverSerial,
        RatioReport control,
        Map<String, RatioReport> overNeither) {
    /** Forms all that the runs allow; those that failed count for nothing. */
    static NativeRatios of(List<NativeRun> runs) {
        Map<String, RatioReport> overNeither = new LinkedHashMap<>();
        for (StepsVariant variant : StepsVariant.values()) {
            RatioReport ratio = variant == StepsVariant.NEITHER ? null : ratio(runs, variant, StepsVariant.NEITHER);
            if (ratio != null) {
                overNeither.put(variant.spelled(), ratio);
            }
        }
        return new NativeRatios(
                ratio(runs, StepsVariant.BOTH, StepsVariant.NEITHER),
                ratio(runs, StepsVariant.BATCHES, StepsVariant.NEITHER),
                ratio(runs, StepsVariant.BOTH, StepsVariant.BATCHES),
                ratio(runs, StepsVariant.CONTINUATION, StepsVariant.SERIAL),
                control(runs),
                overNeither);
    }

    private static RatioReport control(List<NativeRun> runs) {
        return runs.stream()
                .filter(NativeRun::control)
                .findFirst()
                .map(again -> ratio(
                        runs,
                        NativeRun::control,
                        run -> !run.control() && run.variant() == again.variant(),
                        again.label(),
                        again.variant().spelled()))
                .orElse(null);
    }

    private static RatioReport ratio(List<NativeRun> runs, StepsVariant above, StepsVariant below) {
        return ratio(
                runs,
                run -> !run.control() && run.variant() == above,
                run -> !run.control() && run.variant() == below,
                above.spelled(),
                below.spelled());
    }

    private static RatioReport ratio(
            List<NativeRun> runs,
            Predicate<NativeRun> numerator,
            Predicate<NativeRun> denominator,
            String above,
            String below) {
        List<RatioReport.Pair> pairs = new ArrayList<>();
        for (NativeRun run : runs) {
            if (numerator.test(run) && run.counts()) {
                runs.stream()
                        .filter(other -> other.repeat() == run.repeat() && denominator.test(other) && other.counts())
                        .findFirst()
                        .ifPresent(other -> pairs.add(new RatioReport.Pair(run.run(), other.run())));
            }
        }
        return RatioReport.of(above, below, pairs);
    }
}
