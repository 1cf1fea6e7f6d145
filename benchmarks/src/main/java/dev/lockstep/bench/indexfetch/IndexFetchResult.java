package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.Section;
import java.util.ArrayList;
import java.util.List;

/**
 * All figures of one command.
 *
 * @param times on this machine's processor, or null
 * @param misses on the simulated machine, or null
 * @param padded teams on the simulated machine with more code in each switch; may be empty
 * @param retrained teams there at points that were searched for one geometry each; may be empty
 */
record IndexFetchResult(
        FetchTimesReport times, TeamMissesReport misses, List<PaddedMisses> padded, List<RetrainedMisses> retrained) {
    IndexFetchResult {
        padded = List.copyOf(padded);
        retrained = List.copyOf(retrained);
    }

    /** All of them in tables and plots. */
    List<Section> sections() {
        List<Section> sections = new ArrayList<>();
        if (misses != null) {
            sections.addAll(misses.sections(times, padded, retrained));
        }
        if (times != null) {
            sections.add(times.section());
        }
        return sections;
    }
}
