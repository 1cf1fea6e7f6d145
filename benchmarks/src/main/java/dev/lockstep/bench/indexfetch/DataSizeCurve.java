package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Section;
import java.util.List;

/**
 * What teams gain by the size of the data.
 *
 * @param sizes in ascending order, each with a table of its own
 */
record DataSizeCurve(List<SizedTimes> sizes) {
    DataSizeCurve {
        sizes = List.copyOf(sizes);
    }

    /** The table and the plots. */
    Section section() {
        return new GainSection(
                        "data-size",
                        List.of("rows", "bytes of their values"),
                        "rows",
                        sizes.stream()
                                .map(each -> new GainSection.Point(
                                        List.of(Figures.plain((double) each.rows()), Figures.plain((double)
                                                each.bytes())),
                                        each.times()))
                                .toList())
                .section(
                        "Gain against data size",
                        "Each number of rows has a table of its own, filled anew in each JVM; in memory it has up to"
                                + " three times the bytes of its values.");
    }
}
