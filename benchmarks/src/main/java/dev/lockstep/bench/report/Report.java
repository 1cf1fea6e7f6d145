package dev.lockstep.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * What an experiment has to say, before it is text, a page or pictures: {@link ReportText} makes it text and
 * {@link ReportWriter} a directory with a page and plots. Immutable.
 *
 * @param title of the page
 * @param summary the outcome, in one sentence
 * @param ok whether the outcome is a good one
 * @param origin what was run, and where
 * @param configuration name and value of whatever the figures depend on, in order
 * @param sections in order
 */
public record Report(
        String title,
        String summary,
        boolean ok,
        Origin origin,
        SequencedMap<String, String> configuration,
        List<Section> sections) {
    /** Copies the sections. */
    public Report {
        sections = List.copyOf(sections);
    }

    /** The same with one more section behind the others. */
    public Report with(Section last) {
        List<Section> all = new ArrayList<>(sections);
        all.add(last);
        return new Report(title, summary, ok, origin, configuration, all);
    }

    /** All plots, in order. */
    public List<Plot> plots() {
        return sections.stream()
                .flatMap(section -> section.parts().stream())
                .filter(Plot.class::isInstance)
                .map(Plot.class::cast)
                .toList();
    }

    /** The configuration as a table. */
    Table configurationTable() {
        Table.Builder table = Table.of(2, "setting", "value");
        for (Map.Entry<String, String> setting : configuration.entrySet()) {
            table.row(List.of(setting.getKey(), setting.getValue()));
        }
        return table.build();
    }
}
