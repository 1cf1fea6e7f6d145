package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.Section;
import java.util.ArrayList;
import java.util.List;

/**
 * All figures of one command.
 *
 * @param times on this machine's processor, or null
 * @param dataSizes the same for tables of several sizes, in place of {@code times}, or null
 * @param codeFootprints the same for operations with more code than their own, or null; {@code times} are those of
 *     the operation as it is, if they were taken
 * @param beside by what the JVMs whose times were taken are like the simulated ones, or null where not both are there
 * @param misses on the simulated machine, or null
 * @param padded teams on the simulated machine with more code in each switch; may be empty
 * @param retrained teams there at points that were searched for one geometry each; may be empty
 * @param verdicts how far to believe what was counted on the simulated machine; empty if nothing was
 */
record IndexFetchResult(
        FetchTimesReport times,
        DataSizeCurve dataSizes,
        CodeFootprintCurve codeFootprints,
        BesideSimulated beside,
        TeamMissesReport misses,
        List<PaddedMisses> padded,
        List<RetrainedMisses> retrained,
        List<Verdict> verdicts) {
    IndexFetchResult {
        verdicts = List.copyOf(verdicts);
        padded = List.copyOf(padded);
        retrained = List.copyOf(retrained);
    }

    /** Whether all that was counted counts. */
    boolean counts() {
        return verdicts.stream().allMatch(Verdict::counts);
    }

    /** All of them in tables and plots. */
    List<Section> sections() {
        List<Section> sections = new ArrayList<>();
        if (!verdicts.isEmpty()) {
            sections.add(new Section(
                    "How far to believe the simulated counts",
                    verdicts.stream()
                            .<Part>map(verdict -> new Paragraph(verdict.line()))
                            .toList()));
        }
        if (misses != null) {
            sections.addAll(misses.sections(times, padded, retrained));
        }
        if (times != null) {
            sections.add(besideSimulated(times.section()));
        }
        if (dataSizes != null) {
            sections.add(dataSizes.section());
        }
        if (codeFootprints != null) {
            sections.add(besideSimulated(codeFootprints.section()));
        }
        return sections;
    }

    private Section besideSimulated(Section section) {
        return beside == null ? section : section.with(List.of(new Paragraph(beside.sentence())));
    }
}
