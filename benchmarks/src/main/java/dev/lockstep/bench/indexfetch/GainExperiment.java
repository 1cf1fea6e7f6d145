package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.Figures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Takes the times again and again, of something that grows from point to point. */
final class GainExperiment {
    private final FetchPlan plan;
    private final int repeats;
    private final BesideSimulated beside;

    /**
     * Prepares it.
     *
     * @param plan of all points, but for what grows
     * @param repeats of each point
     * @param beside what the simulated JVMs are that it stands beside, or null where none are
     */
    GainExperiment(FetchPlan plan, int repeats, BesideSimulated beside) {
        this.plan = plan;
        this.repeats = repeats;
        this.beside = beside;
    }

    /** With each of these numbers of rows. */
    DataSizeCurve overRows(List<Integer> numbers) throws IOException, InterruptedException {
        List<SizedTimes> sizes = new ArrayList<>();
        for (int rows : numbers) {
            plan.progress().accept("takes times with " + Figures.plain(rows) + " rows");
            FetchSpec sized = plan.spec().withRows(rows);
            sizes.add(SizedTimes.of(sized.rows(), times(sized)));
        }
        return new DataSizeCurve(sizes);
    }

    /**
     * With each of these numbers of bytes of straight code in each operation.
     *
     * @param ownBytes of the operation's own code, or null
     */
    CodeFootprintCurve overPaddings(List<Integer> numbers, Long ownBytes) throws IOException, InterruptedException {
        List<PaddedTimes> paddings = new ArrayList<>();
        for (int bytes : numbers) {
            plan.progress().accept("takes times with " + Figures.plain(bytes) + " bytes more in each operation");
            FetchSpec padded = plan.spec().padded(bytes);
            paddings.add(PaddedTimes.of(padded.paddingBytes(), times(padded)));
        }
        return new CodeFootprintCurve(ownBytes, paddings);
    }

    private FetchTimesReport times(FetchSpec spec) throws IOException, InterruptedException {
        return new FetchExperiment(plan.with(spec), repeats, beside).run();
    }
}
