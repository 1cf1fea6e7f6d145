package dev.lockstep.bench.codemap;

import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.simulate.CodeInstruments;
import dev.lockstep.bench.simulate.CodeRun;
import dev.lockstep.bench.simulate.ExecutedCode;
import dev.lockstep.bench.simulate.MarkedOperation;
import dev.lockstep.bench.simulate.MissedCode;
import dev.lockstep.bench.simulate.MissedCode.Misses;
import dev.lockstep.bench.simulate.MissedCode.Place;
import dev.lockstep.bench.simulate.WorkloadThreads;
import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts together what code executed and missed, from the plugin, and what lay there, from the agent. */
public final class MissedCodeReader implements CodeInstruments {
    private static final String CALLS = " > ";
    private static final List<ToLongFunction<Misses>> COUNTS =
            List.of(Misses::l1i, Misses::l1d, Misses::l2, Misses::llc, Misses::branches);
    private static final Misses NONE = new Misses(0, 0, 0, 0, 0);

    /** For one command line. */
    public MissedCodeReader() {}

    @Override
    public String probe() {
        return OperationMarkers.class.getName();
    }

    @Override
    public ExecutedCode executed(Path lines, Path events, int phase) throws IOException {
        CodeLines executed = CodeLines.read(lines);
        CodeEvents logged = CodeEvents.read(events);
        return new ExecutedCode(
                missed(executed, logged, phase),
                ContinuationCounter.count(
                        executed,
                        logged,
                        context -> context.phase() == phase && WorkloadThreads.KINDS.contains(context.threadKind())));
    }

    @Override
    public void map(List<CodeRun> runs, Origin origin, Path into) throws IOException {
        List<CodeMap.WorkloadCode> workloads = new ArrayList<>();
        for (CodeRun run : runs) {
            workloads.add(new WorkloadCodeBuilder(
                            CodeLines.read(run.lines()), CodeEvents.read(run.events()), run.operations(), run.phase())
                    .build(named(run, workloads), verdict(run)));
        }
        // What holds for all of them.
        List<String> flags = runs.getFirst().flags().stream()
                .filter(flag -> runs.stream().allMatch(run -> run.flags().contains(flag)))
                .toList();
        CodeMap map = new CodeMap(
                CodeMap.KIND, CodeMap.FORMAT_VERSION, CodeMap.thisJvm(), flags, origin, List.copyOf(workloads));
        Json.write(into, map);
    }

    /** By its name, with a number where another one has it, since footprints are found by it. */
    private static String named(CodeRun run, List<CodeMap.WorkloadCode> before) {
        Set<String> taken = before.stream().map(CodeMap.WorkloadCode::name).collect(Collectors.toSet());
        String name = run.name();
        for (int number = 2; taken.contains(name); number++) {
            name = run.name() + ", run " + number;
        }
        return name;
    }

    private static Verdict verdict(CodeRun run) {
        return run.verdict() != null
                ? run.verdict()
                : new Verdict(
                        run.name(),
                        false,
                        List.of("NOT JUDGED, counts for nothing: there was no control of this run by which to tell"
                                + " whether its JVM was in the steady state. Remedy: simulate tpcc, jmh or indexfetch,"
                                + " which have one."));
    }

    @Override
    public SteadyState steadyState(
            Path lines, Path events, List<CompiledMethod> compiled, Path samples, List<CompiledMethod> control)
            throws IOException {
        return SteadyStateReader.read(
                CodeLines.read(lines),
                CodeEvents.read(events),
                WorkloadThreads.KINDS,
                compiled,
                new SteadyStateReader.Control(samples, control));
    }

    @Override
    public boolean nameTrace(Path raw, List<MarkedOperation> operations, Path events, Path points, Path into)
            throws IOException {
        return TraceNames.write(raw, operations, events, points, into);
    }

    /** Of all threads that were simulated: the others miss nothing. */
    static MissedCode missed(CodeLines lines, CodeEvents events, int phase) {
        Sums sums = new Sums(lines, events);
        lines.contexts().forEach((context, counts) -> {
            if (context.phase() == phase) {
                counts.eachMissed(sums::add);
            }
        });
        return sums.result();
    }

    private static final class Sums {
        private final CodeLines lines;
        private final CodeEvents events;
        private final CodeResolver resolver;
        private final Map<String, Misses> methods = new HashMap<>();
        private final Map<String, Misses> sourceLines = new HashMap<>();
        private final Map<String, Misses> chains = new HashMap<>();
        private Misses totals = NONE;
        private Misses unresolved = NONE;

        Sums(CodeLines lines, CodeEvents events) {
            this.lines = lines;
            this.events = events;
            resolver = new CodeResolver(events);
        }

        void add(int block, int offset, long[] counts) {
            Misses misses = new Misses(counts[0], counts[1], counts[2], counts[3], counts[4]);
            totals = totals.plus(misses);
            long address = lines.address(block) + offset;
            CodeResolver.Found found = resolver.find(lines.address(block), lines.epoch(block));
            if (found.part() == CodePart.UNKNOWN) {
                unresolved = unresolved.plus(misses);
            }
            int frame = found.compiled() == null
                    ? 0
                    : found.compiled().frameAt(address - found.compiled().address());
            if (frame == 0) {
                // Of a compiled method the debug information does not cover all, such as its stubs at the end.
                String name = named(found);
                Stream.of(methods, sourceLines, chains).forEach(map -> map.merge(name, misses, Misses::plus));
                return;
            }
            methods.merge(qualified(events.frame(frame).method()), misses, Misses::plus);
            sourceLines.merge(line(frame), misses, Misses::plus);
            chains.merge(chain(frame), misses, Misses::plus);
        }

        private static String named(CodeResolver.Found found) {
            return found.compiled() != null
                    ? qualified(found.compiled().method())
                    : found.part() == CodePart.UNKNOWN
                            ? CodePart.UNKNOWN.words()
                            : found.name() + " (" + found.part().words() + ")";
        }

        private String line(int frame) {
            CodeEvents.Frame at = events.frame(frame);
            return qualified(at.method()) + (at.line() == 0 ? "" : ":" + at.line());
        }

        /** Ends, as a frame's caller was logged before it. */
        private String chain(int frame) {
            List<String> calls = new ArrayList<>();
            for (int at = frame; at != 0; at = events.frame(at).caller()) {
                calls.addFirst(line(at));
            }
            return String.join(CALLS, calls);
        }

        MissedCode result() {
            return new MissedCode(totals, unresolved, most(methods), most(sourceLines), most(chains));
        }

        private static List<Place> most(Map<String, Misses> sums) {
            List<Place> all = sums.entrySet().stream()
                    .map(entry -> new Place(entry.getKey(), entry.getValue()))
                    .toList();
            Set<Place> most = new LinkedHashSet<>();
            COUNTS.forEach(count -> most.addAll(MissedCode.most(all, count, MissedCode.PLACES_MAX)));
            return List.copyOf(most);
        }
    }

    /** Class and name, by dots. */
    private static String qualified(String method) {
        int signature = method.indexOf('(');
        return (signature < 0 ? method : method.substring(0, signature))
                .replace('/', '.')
                .strip();
    }
}
