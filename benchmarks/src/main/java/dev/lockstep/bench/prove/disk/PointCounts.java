package dev.lockstep.bench.prove.disk;

import dev.lockstep.bench.prove.ProofReport;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Points by fault, by activity and by outcome, those of faults of the medium by zone, and those of errors by what
 * failed. Not thread-safe.
 */
final class PointCounts {
    private static final List<Fault> MEDIUM = List.of(Fault.LOST, Fault.MISDIRECTED);

    private final long[][][] damaged =
            new long[Fault.values().length][Zone.values().length][Trial.Outcome.values().length];
    private final long[][] hadToSurvive = new long[Fault.values().length][Zone.values().length];
    private final long[][] overwritten = new long[Zone.values().length][Trial.Outcome.values().length];
    private final long[] overwrittenHadToSurvive = new long[Zone.values().length];
    private final long[][] tried = new long[Fault.values().length][Activity.values().length];
    private final long[] failedCalls = new long[DiskOperation.Kind.values().length];
    private final long[] survived = new long[Fault.values().length];
    private final long[] detected = new long[Fault.values().length];

    /** Counts a point; the outcome is null if it did not go as it has to. */
    void add(Fault fault, DiskOperation operation, Trial.Outcome outcomeOrNull) {
        tried[fault.ordinal()][operation.activity().ordinal()]++;
        if (fault.kind() == Fault.Kind.ERROR) {
            failedCalls[operation.kind().ordinal()]++;
        }
        if (outcomeOrNull == Trial.Outcome.DETECTED || outcomeOrNull == Trial.Outcome.EARLIER) {
            detected[fault.ordinal()]++;
        } else if (outcomeOrNull != null) {
            survived[fault.ordinal()]++;
        }
    }

    /** Counts what came of a fault of the medium, a second time. */
    void addDamage(Fault fault, Damage damage, Trial.Outcome outcome) {
        int zone = damage.zone().ordinal();
        damaged[fault.ordinal()][zone][outcome.ordinal()]++;
        hadToSurvive[fault.ordinal()][zone] += damage.mustBeSurvived() ? 1 : 0;
        if (damage.zoneInOtherFileOrNull() != null) {
            int other = damage.zoneInOtherFileOrNull().ordinal();
            overwritten[other][outcome.ordinal()]++;
            overwrittenHadToSurvive[other] += damage.mustBeSurvived() ? 1 : 0;
        }
    }

    /** Points tried with a fault during an activity. */
    long tried(Fault fault, Activity activity) {
        return tried[fault.ordinal()][activity.ordinal()];
    }

    private long tried(Fault fault) {
        return sum(tried[fault.ordinal()]);
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
        for (DiskOperation.Kind kind : DiskOperation.Kind.values()) {
            report.count("errors at " + kind.title(), failedCalls[kind.ordinal()]);
        }
        report.section(Section.of("Points by fault and activity", table.build()));
        long misdirected = 0;
        for (long[] its : overwritten) {
            misdirected += sum(its);
        }
        report.count("misdirected into another file", misdirected);
        report.section(Section.of("What the medium did to forced data, by zone", zones()));
        report.section(
                Section.of("Of the misdirected writes those into another file, by its zone", overwrittenZones()));
    }

    private Table zones() {
        Table.Builder table = zoneTable();
        for (Fault fault : MEDIUM) {
            for (Zone zone : Zone.values()) {
                addRow(
                        table,
                        fault,
                        zone,
                        damaged[fault.ordinal()][zone.ordinal()],
                        hadToSurvive[fault.ordinal()][zone.ordinal()]);
            }
        }
        return table.build();
    }

    private Table overwrittenZones() {
        Table.Builder table = zoneTable();
        for (Zone zone : Zone.values()) {
            addRow(
                    table,
                    Fault.MISDIRECTED,
                    zone,
                    overwritten[zone.ordinal()],
                    overwrittenHadToSurvive[zone.ordinal()]);
        }
        return table.build();
    }

    private static Table.Builder zoneTable() {
        return Table.of(2, "fault", "zone", "points", "survived", "of these had to be", "detected", "earlier state");
    }

    private static void addRow(Table.Builder table, Fault fault, Zone zone, long[] its, long hadToSurvive) {
        table.row(List.of(
                fault.title(),
                zone.title(),
                number(sum(its)),
                number(its[Trial.Outcome.SURVIVED.ordinal()]),
                number(hadToSurvive),
                number(its[Trial.Outcome.DETECTED.ordinal()]),
                number(its[Trial.Outcome.EARLIER.ordinal()])));
    }

    private static long sum(long[] counts) {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        return sum;
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
