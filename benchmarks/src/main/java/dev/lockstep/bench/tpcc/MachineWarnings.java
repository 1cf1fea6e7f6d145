package dev.lockstep.bench.tpcc;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Whether machine and JVM were the same for all runs of Lockstep, which are compared with each other. */
final class MachineWarnings {
    /** What lies in large pages is found with fewer misses. */
    private static final double LARGE_PAGE_DIFFERENCE_MAX = 0.05;

    /** The greatest over the least. */
    private static final double CROWDING_RATIO_MAX = 1.1;

    private static final double PERCENT = 100;

    private MachineWarnings() {}

    /** In a sentence each; empty where nothing is known that speaks against comparing. */
    static List<String> of(List<RunReport> runs) {
        List<String> lines = new ArrayList<>();
        DoubleSummaryStatistics large = figures(runs, RunReport::largePagePart);
        if (large.getMax() - large.getMin() > LARGE_PAGE_DIFFERENCE_MAX) {
            lines.add(String.format(
                    Locale.ROOT,
                    "the runs of lockstep had between %.0f and %.0f %% of their memory in large pages: ratios between"
                            + " them mean nothing; free memory is in pieces, which a restart of the machine mends",
                    PERCENT * large.getMin(),
                    PERCENT * large.getMax()));
        }
        DoubleSummaryStatistics crowding = figures(runs, RunReport::crowding);
        if (crowding.getMax() > CROWDING_RATIO_MAX * crowding.getMin()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "others may have worked on the same core as some runs of lockstep, which no clock shows: crowding"
                            + " %.3f to %.3f; compare runs that are alike in it",
                    crowding.getMin(),
                    crowding.getMax()));
        }
        Map<String, Double> compiling = jvmParts(runs);
        if (!compiling.isEmpty()) {
            lines.add(compiling.entrySet().stream()
                    .map(run -> String.format(Locale.ROOT, "%s %.0f %%", run.getKey(), PERCENT * run.getValue()))
                    .collect(Collectors.joining(
                            ", ",
                            "the JVM's own threads, its compilers above all, took too much of the measured processor"
                                    + " time: ",
                            ": ratios between these runs tell who was compiled first; warm up for longer (--warmup"
                                    + " 30), or compare by turns in one JVM (--slices 1 --warmup 20)")));
        }
        return lines;
    }

    /** What the JVM itself took of the processor time where it took too much, by run; the most of its repetitions. */
    private static Map<String, Double> jvmParts(List<RunReport> runs) {
        Map<String, Double> parts = new LinkedHashMap<>();
        for (RunReport run : runs) {
            if (run.configuration().engineName() == EngineName.LOCKSTEP) {
                run.excessiveJvmPart().ifPresent(part -> parts.merge(run.label(), part, Math::max));
            }
        }
        return parts;
    }

    private static DoubleSummaryStatistics figures(List<RunReport> runs, Function<RunReport, Double> figure) {
        return runs.stream()
                .filter(run -> run.configuration().engineName() == EngineName.LOCKSTEP && figure.apply(run) != null)
                .mapToDouble(figure::apply)
                .summaryStatistics();
    }
}
