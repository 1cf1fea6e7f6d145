package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.Figures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Takes the times again and again, of something that grows from point to point. */
final class GainExperiment {
    private final FetchPlan plan;
    private final int repeats;

    /**
     * Prepares it.
     *
     * @param plan of all points, but for what grows
     * @param repeats of each point
     */
    GainExperiment(FetchPlan plan, int repeats) {
        this.plan = plan;
        this.repeats = repeats;
    }

    /** With each of these numbers of rows. */
    DataSizeCurve overRows(List<Integer> numbers) throws IOException, InterruptedException {
        List<SizedTimes> sizes = new ArrayList<>();
        for (int rows : numbers) {
            plan.progress().accept("takes times with " + Figures.plain(rows) + " rows");
            FetchPlan sized = plan.with(plan.spec().withRows(rows));
            sizes.add(SizedTimes.of(rows, new FetchExperiment(sized, repeats, null).run()));
        }
        return new DataSizeCurve(sizes);
    }
}
