package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.simulate.CacheShape;
import dev.lockstep.bench.switchpoints.CheckReport;
import dev.lockstep.bench.switchpoints.ClassBytes;
import dev.lockstep.bench.switchpoints.InsertedBytecode;
import dev.lockstep.bench.switchpoints.SwitchPoint;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Places points, inserts them, traces the program with them, and compares what a further member of a team misses there
 * with what was predicted; where the two differ, begins anew from the new trace, whose code is that which the compiler
 * makes of methods with points in them (STEPS, 5.2 and 5.3, with the insertion that the paper leaves to tools).
 *
 * <p>Used by one thread.
 */
final class SearchRounds {
    private final Settings settings;
    private final TraceRecorder recorder;
    private final ClassBytes classes;
    private final Path points;
    private final Consumer<RoundsResult.Round> listener;
    private final Map<SwitchPoint, String> rejected = new LinkedHashMap<>();
    private final Set<SwitchPoint> checked = new HashSet<>();

    /**
     * What is searched, and how long.
     *
     * @param wanted parts of the names of operations; empty for all
     * @param rounds at most
     * @param check whether the checking mode runs before points are inserted
     */
    record Settings(
            List<String> wanted, CacheShape shape, Knee knee, int members, int switchBytes, int rounds, boolean check) {
        Settings {
            wanted = List.copyOf(wanted);
        }
    }

    /** What one search found. */
    private record Found(
            List<Integer> operations, List<AutoStepsResult.Operation> results, List<SwitchPoint> inserted) {}

    /**
     * For one program.
     *
     * @param classes of the program
     * @param points takes the points of each round, those of {@link RoundsResult#kept} in the end
     * @param listener is told of each round that has ended
     */
    SearchRounds(
            Settings settings,
            TraceRecorder recorder,
            ClassBytes classes,
            Path points,
            Consumer<RoundsResult.Round> listener) {
        this.settings = settings;
        this.recorder = recorder;
        this.classes = classes;
        this.points = points;
        this.listener = listener;
    }

    /** Runs rounds until prediction and measurement agree, no point can be inserted, or there have been enough. */
    RoundsResult run() throws RecordingException, IOException {
        TraceFile traces = recorder.record(null);
        InsertedBytecode inserted = InsertedBytecode.NONE;
        List<RoundsResult.Round> rounds = new ArrayList<>();
        List<byte[]> written = new ArrayList<>();
        while (rounds.isEmpty()
                || (rounds.size() < settings.rounds && !rounds.getLast().agrees())) {
            PointMapper mapper = PointMapper.of(traces, classes, inserted);
            Found found = searchAndCheck(traces, mapper);
            TraceFile next = null;
            if (!found.inserted.isEmpty()) {
                next = recorder.record(points);
                inserted = InsertedBytecode.of(SwitchPoints.read(points), classes);
            }
            rounds.add(round(rounds.size() + 1, found, traces, mapper, next, inserted));
            written.add(Files.readAllBytes(points));
            listener.accept(rounds.getLast());
            if (next == null) {
                break;
            }
            traces = next;
        }
        RoundsResult.Round last = rounds.getLast();
        RoundsResult.Round kept = RoundsResult.best(rounds);
        Files.write(points, written.get(kept.number() - 1));
        return new RoundsResult(
                RoundsResult.FORMAT,
                settings.shape.text(),
                settings.members,
                settings.switchBytes,
                rounds,
                last.agrees(),
                kept.number(),
                last.outcomes().stream().map(RoundsResult.Outcome::sentence).toList());
    }

    /** Searches anew without the points at which something is held, until all that are left have been checked. */
    private Found searchAndCheck(TraceFile traces, PointMapper mapper) throws RecordingException, IOException {
        Found found = search(traces, mapper);
        while (settings.check && !checked.containsAll(found.inserted)) {
            judge(SwitchPoints.read(points).points(), recorder.check(points));
            found = search(traces, mapper);
        }
        return found;
    }

    private void judge(List<SwitchPoint> written, CheckReport report) throws RecordingException {
        if (report.passed().size() != written.size() || !report.uncounted().isEmpty()) {
            throw new RecordingException("The checking mode has not seen everything: pointsReported="
                    + report.passed().size() + " points=" + written.size() + " classesNotCounted="
                    + report.uncounted() + "; remedy: leave out its runs with --unchecked");
        }
        for (int i = 0; i < written.size(); i++) {
            SwitchPoint point = written.get(i);
            checked.add(point);
            int passed = report.passed().get(i);
            int held = report.held().get(i);
            if (passed == 0) {
                rejected.put(point, "it was not passed in the run that checks: point=" + point);
            } else if (held > 0) {
                rejected.put(
                        point,
                        "a latch, lock or monitor was held in " + held + " of " + passed + " passes: point=" + point);
            }
        }
    }

    private Found search(TraceFile traces, PointMapper mapper) throws RecordingException, IOException {
        List<Integer> operations = traces.operations(settings.wanted);
        if (operations.isEmpty()) {
            throw new RecordingException("--operation fits none of: " + traces.names());
        }
        AutoStepsResult.Searches searches = searches(traces, mapper);
        List<AutoStepsResult.Operation> results = searches.of(operations, List.of(settings.knee));
        SwitchPoints.of(settings.shape.text(), classes, searches.inserted()).write(points);
        return new Found(operations, results, searches.inserted());
    }

    private AutoStepsResult.Searches searches(TraceFile traces, PointMapper mapper) {
        return new AutoStepsResult.Searches(
                traces, mapper, settings.shape, settings.members, settings.switchBytes, rejected);
    }

    private RoundsResult.Round round(
            int number, Found found, TraceFile traces, PointMapper mapper, TraceFile next, InsertedBytecode inserted)
            throws IOException {
        AutoStepsResult.Searches before = searches(traces, mapper);
        List<RoundsResult.Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < found.operations.size(); i++) {
            AutoStepsResult.Operation result = found.results.get(i);
            int operation = found.operations.get(i);
            List<SwitchPoint> own = found.inserted.stream()
                    .filter(point -> point.operation().equals(traces.registeredName(operation)))
                    .toList();
            boolean any = next != null
                    && result.points().stream()
                            .anyMatch(point -> !point.bytecode().isEmpty());
            outcomes.add(new RoundsResult.Outcome(
                    result.name(),
                    result.originalMisses(),
                    result.points().size(),
                    result.points().stream()
                            .map(AutoStepsResult.Point::refused)
                            .filter(refused -> !refused.isEmpty())
                            .distinct()
                            .toList(),
                    result.points().stream()
                            .mapToInt(AutoStepsResult.Point::movedInstructions)
                            .sum(),
                    any ? before.replay(operation, own) : null,
                    any ? measured(next, inserted, result.name(), own) : null));
        }
        return new RoundsResult.Round(
                number,
                outcomes,
                found.inserted.stream().map(SwitchPoint::toString).toList());
    }

    private AutoStepsResult.Replayed measured(
            TraceFile next, InsertedBytecode inserted, String name, List<SwitchPoint> own) throws IOException {
        for (int operation : next.operations()) {
            if (next.name(operation).equals(name)) {
                return searches(next, PointMapper.of(next, classes, inserted)).replay(operation, own);
            }
        }
        return null;
    }
}
