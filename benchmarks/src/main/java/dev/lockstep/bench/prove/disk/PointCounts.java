package dev.lockstep.bench.prove.disk;

import dev.lockstep.bench.prove.ProofReport;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Points by fault, by activity and by outcome. Not thread-safe. */
final class PointCounts {
    private final long[][] tried = new long[Fault.values().length][Activity.values().length];
    private final long[] survived = new long[Fault.values().length];
    private final long[] detected = new long[Fault.values().length];
    private long drifted;

    /** Counts a point; the outcome is null if it did not go as it has to. */
    void add(Fault fault, Activity activity, Trial.Outcome outcomeOrNull) {
        tried[fault.ordinal()][activity.ordinal()]++;
        if (outcomeOrNull == Trial.Outcome.DETECTED) {
            detected[fault.ordinal()]++;
        } else if (outcomeOrNull != null) {
            survived[fault.ordinal()]++;
            drifted += outcomeOrNull == Trial.Outcome.DRIFTED ? 1 : 0;
        }
    }

    /** Points tried with a fault during an activity. */
    long tried(Fault fault, Activity activity) {
        return tried[fault.ordinal()][activity.ordinal()];
    }

    private long tried(Fault fault) {
        long sum = 0;
        for (long count : tried[fault.ordinal()]) {
            sum += count;
        }
        return sum;
    }

    void addTo(ProofReport.Builder report) {
        List<String> headers = new ArrayList<>(List.of("fault"));
        for (Activity activity : Activity.values()) {
            headers.add(activity.title());
        }
        headers.addAll(List.of("points", "survived", "detected", "failed"));
        Table.Builder table = Table.of(1, headers);
        for (Fault fault : Fault.values()) {
            List<String> row = new ArrayList<>(List.of(fault.title()));
            for (Activity activity : Activity.values()) {
                row.add(number(tried(fault, activity)));
            }
            long all = tried(fault);
            long good = survived[fault.ordinal()];
            long found = detected[fault.ordinal()];
            row.addAll(List.of(number(all), number(good), number(found), number(all - good - found)));
            table.row(row);
            report.count(fault.title(), all);
        }
        for (Activity activity : Activity.values()) {
            long sum = 0;
            for (Fault fault : Fault.values()) {
                sum += tried(fault, activity);
            }
            report.count("while " + activity.title(), sum);
        }
        report.count("of other operations than recorded", drifted);
        report.section(Section.of("Points by fault and activity", table.build()));
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
