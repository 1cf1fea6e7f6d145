package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.ProgressLine;
import dev.lockstep.tpcc.TpccProgress.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs that share this JVM. Each has a database of its own; they take turns of some seconds, forwards and backwards by
 * turns, until each has had its time. So whatever the machine or the JVM does for longer than a few turns meets all of
 * them, and what is compiled is the same code. While one has its turn the others rest: their databases must do nothing
 * by themselves.
 *
 * <p>Where each JVM runs one configuration ({@link TpccChildRun}), code is compiled for it alone, which can make it
 * faster; a comparison of figures taken here with figures taken there says nothing.
 *
 * <p>Used by one thread.
 */
final class SlicedRuns {
    private final SlicedRequest request;
    private final StallWatch watch;
    private final Consumer<ProgressLine> lines;
    private final List<SlicedRun> runs = new ArrayList<>();

    /**
     * Prepares.
     *
     * @param lines told how they get on
     */
    SlicedRuns(SlicedRequest request, StallWatch watch, Consumer<ProgressLine> lines) {
        this.request = request;
        this.watch = watch;
        this.lines = lines;
    }

    /** Runs to the end; configurations that had to be given up say so in their reports. */
    SlicedReport run() throws InterruptedException {
        List<RunReport> reports = new ArrayList<>();
        try {
            for (RunRequest each : request.runs()) {
                SlicedRun run = new SlicedRun(each, watch, lines);
                runs.add(run);
                run.load();
            }
            double warmUpSeconds = request.runs().getFirst().configuration().warmUpSeconds();
            if (warmUpSeconds > 0) {
                takeTurns(Phase.WARM_UP, warmUpSeconds);
            }
            for (int repeat = 1; repeat <= request.repeats(); repeat++) {
                takeTurns(
                        Phase.MEASURE, request.runs().getFirst().configuration().durationSeconds());
                for (SlicedRun run : runs) {
                    reports.add(run.report(repeat));
                }
            }
            return new SlicedReport(judged(reports));
        } finally {
            runs.forEach(SlicedRun::close);
        }
    }

    private void takeTurns(Phase phase, double seconds) throws InterruptedException {
        for (SlicedRun run : runs) {
            run.begin(phase, seconds);
        }
        List<SlicedRun> order = runs;
        // Ends when each run has had its time or has failed; each turn takes some.
        while (order.stream().anyMatch(SlicedRun::wantsMore)) {
            for (SlicedRun run : order.stream().filter(SlicedRun::wantsMore).toList()) {
                run.turn();
            }
            order = order.reversed();
        }
        for (SlicedRun run : runs) {
            run.end();
        }
    }

    /** With what the databases held at first and in the end, which all repetitions share. */
    private List<RunReport> judged(List<RunReport> reports) throws InterruptedException {
        List<ChildVerdict> verdicts = new ArrayList<>();
        for (SlicedRun run : runs) {
            verdicts.add(run.judge());
        }
        List<RunReport> judged = new ArrayList<>();
        for (int i = 0; i < reports.size(); i++) {
            judged.add(reports.get(i).with(verdicts.get(i % runs.size())));
        }
        return judged;
    }
}
