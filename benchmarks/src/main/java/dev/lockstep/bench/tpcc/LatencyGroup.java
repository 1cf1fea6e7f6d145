package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.Spelling;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.workload.LatencyRecorder;
import dev.lockstep.tpcc.workload.LatencySummary;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Transactions whose latencies are summed up together: those of each type, then those of all.
 *
 * @param key in {@link RunReport#latencyMicros} and {@link RatioReport#latencyP99}
 * @param title in tables and plots
 */
record LatencyGroup(String key, String title) {
    /** All committed transactions, in the shares that the mix gives them. */
    static final LatencyGroup ALL_TYPES = new LatencyGroup("all", "all types");

    /** In the order in which they are told. */
    static final List<LatencyGroup> GROUPS = Stream.concat(
                    Arrays.stream(TransactionType.values())
                            .map(type -> new LatencyGroup(Spelling.of(type), type.title())),
                    Stream.of(ALL_TYPES))
            .toList();

    /** What was recorded, by {@link #key}; nothing where nothing was. */
    static Map<String, LatencySummary> summaries(LatencyRecorder recordedOrNull) {
        Map<String, LatencySummary> summaries = new LinkedHashMap<>();
        if (recordedOrNull != null) {
            for (TransactionType type : TransactionType.values()) {
                summaries.put(Spelling.of(type), recordedOrNull.summary(type));
            }
            summaries.put(ALL_TYPES.key(), recordedOrNull.summaryOfAll());
        }
        return summaries;
    }
}
