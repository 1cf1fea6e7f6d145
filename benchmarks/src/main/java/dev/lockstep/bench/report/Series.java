package dev.lockstep.bench.report;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One line of a plot, or one colour of its bars. Immutable.
 *
 * @param name in the legend
 * @param values one for each point or bar; NaN where there is none
 */
public record Series(String name, List<Double> values) {
    /** As many colours as people with any kind of colour vision can tell apart. */
    public static final int COUNT_MAX = 8;

    /** Copies the values. */
    public Series {
        values = List.copyOf(values);
    }

    /** Checks that all have as many values as there are points, names of their own, and a colour each. */
    static List<Series> check(List<String> points, List<Series> all) {
        Set<String> names = new HashSet<>();
        for (Series series : all) {
            if (series.values.size() != points.size() || !names.add(series.name)) {
                throw new IllegalArgumentException("a series has a name of its own and a value for each point: name="
                        + series.name + " values=" + series.values.size() + " points=" + points.size());
            }
        }
        if (all.isEmpty() || all.size() > COUNT_MAX || points.isEmpty()) {
            throw new IllegalArgumentException("a plot has points, and 1 to " + COUNT_MAX + " series: points="
                    + points.size() + " series=" + all.size());
        }
        return List.copyOf(all);
    }

    /** A row for each point, a column for each series. */
    static Table table(String pointTitle, List<String> points, List<Series> all) {
        List<String> headers = new ArrayList<>(List.of(pointTitle));
        all.forEach(series -> headers.add(series.name));
        Table.Builder table = Table.of(1, headers);
        for (int i = 0; i < points.size(); i++) {
            List<String> row = new ArrayList<>(List.of(points.get(i)));
            for (Series series : all) {
                row.add(Figures.plain(series.values.get(i)));
            }
            table.row(row);
        }
        return table.build();
    }
}
