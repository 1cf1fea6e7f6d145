package dev.lockstep.bench.steps;

import dev.lockstep.bench.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * All figures of one command.
 *
 * @param executed what each operation executes; empty where nobody has named it
 * @param cells a mix at a number of warehouses each
 * @param undrawn why a flame graph was not drawn, by its name; empty where none failed
 */
record StepsResult(List<ExecutedCode> executed, List<StepsCell> cells, SequencedMap<String, String> undrawn) {
    /** Whether all that ran counts, and all that was to be drawn was. */
    boolean ok() {
        return undrawn.isEmpty() && cells.stream().allMatch(StepsCell::ok);
    }

    /** Why the first command failed of those that the simulated machine was to run, if one did. */
    Optional<String> failedCommand() {
        return cells.stream()
                .map(StepsCell::failedCommand)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** All of them in tables. */
    List<Section> sections() {
        List<Section> sections = new ArrayList<>();
        if (!executed.isEmpty()) {
            sections.add(ExecutedCode.section(executed));
        }
        sections.addAll(new StepsSections(cells).sections());
        return sections;
    }

    /** The plots, and all figures below them. */
    List<Section> page() {
        List<Section> page = new ArrayList<>(new StepsPlots(cells).sections());
        page.addAll(sections());
        return page;
    }
}
