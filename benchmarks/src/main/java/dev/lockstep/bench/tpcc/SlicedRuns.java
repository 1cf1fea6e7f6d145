package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.ProgressLine;
import dev.lockstep.tpcc.TpccProgress.Phase;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs that share this JVM, each with a database of its own, or all on one. They take turns of some seconds, forwards
 * and backwards by turns, until each has had its time. So whatever the machine or the JVM does for longer than a few
 * turns meets all of them, and what is compiled is the same code. While one has its turn the others rest: their
 * databases must do nothing by themselves. On one database, what that is like meets all of them too.
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

    /** Each once, in the order of the first runs in them. */
    private final List<SlicedDatabase> databases = new ArrayList<>();

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
            openAll();
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
            databases.forEach(SlicedDatabase::close);
        }
    }

    private void openAll() throws InterruptedException {
        boolean one = request.runs().getFirst().configuration().sharesDatabase();
        for (RunRequest each : request.runs()) {
            boolean opens = !one || databases.isEmpty();
            if (opens) {
                databases.add(new SlicedDatabase(one ? formingTeams() : each, watch));
            }
            SlicedRun run = new SlicedRun(each, databases.getLast(), watch, lines);
            runs.add(run);
            if (opens) {
                run.load();
            }
        }
    }

    /** A scheduler that forms teams can be told not to, but not the other way round. */
    private RunRequest formingTeams() {
        return request.runs().stream()
                .filter(each -> each.configuration().usesTeams())
                .findFirst()
                .orElse(request.runs().getFirst());
    }

    private void takeTurns(Phase phase, double seconds) throws InterruptedException {
        for (SlicedRun run : runs) {
            run.begin(phase, seconds);
        }
        List<SlicedRun> order = runs;
        // Ends when each run has had its time or has failed; each turn takes some.
        while (order.stream().anyMatch(SlicedRun::wantsMore)) {
            for (SlicedRun run : order) {
                // Asked when its turn comes: the one before may have given up the database of both.
                if (run.wantsMore()) {
                    run.turn();
                }
            }
            order = order.reversed();
        }
        for (SlicedRun run : runs) {
            run.end();
        }
    }

    /** With what the databases held at first and in the end, which all repetitions share. */
    private List<RunReport> judged(List<RunReport> reports) throws InterruptedException {
        IdentityHashMap<SlicedDatabase, ChildVerdict> verdicts = new IdentityHashMap<>();
        for (SlicedDatabase database : databases) {
            verdicts.put(database, database.judge());
        }
        List<RunReport> judged = new ArrayList<>();
        for (int i = 0; i < reports.size(); i++) {
            judged.add(
                    reports.get(i).with(verdicts.get(runs.get(i % runs.size()).database())));
        }
        return judged;
    }
}
