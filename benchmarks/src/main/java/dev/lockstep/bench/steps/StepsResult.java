package dev.lockstep.bench.steps;

import dev.lockstep.bench.report.Section;
import java.util.ArrayList;
import java.util.List;

/**
 * All figures of one command.
 *
 * @param cells a mix at a number of warehouses each
 */
record StepsResult(List<StepsCell> cells) {
    /** Whether all that ran counts. */
    boolean ok() {
        return cells.stream().allMatch(StepsCell::ok);
    }

    /** All of them in tables. */
    List<Section> sections() {
        return new StepsSections(cells).sections();
    }

    /** The plots, and all figures below them. */
    List<Section> page() {
        List<Section> page = new ArrayList<>(new StepsPlots(cells).sections());
        page.addAll(sections());
        return page;
    }
}
