package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Table;
import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.List;

/**
 * What autoSTEPS found. Immutable.
 *
 * @param format of this record as JSON
 * @param instructionCache the geometry that the points are for
 * @param members of the team that was replayed
 * @param switchBytes executed bytes of the code of a switch, in the replay that has it
 * @param operations in the order of the trace; each once for each knee
 */
record AutoStepsResult(int format, String instructionCache, int members, int switchBytes, List<Operation> operations) {
    static final int FORMAT = 1;

    /** Points of a curve: enough to see its knees, few enough for a page. */
    private static final int CURVE_POINTS = 60;

    AutoStepsResult {
        operations = List.copyOf(operations);
    }

    /**
     * A switch point.
     *
     * @param address of the instruction before which the switch goes, in hexadecimal
     * @param place what lies there, as far as the trace says
     * @param switches how often it is passed in one execution
     */
    record Point(String address, String place, int switches) {}

    /**
     * One operation with one knee.
     *
     * @param executions that were recorded; the one with the median number of instructions was searched
     * @param codeBytes in distinct cache lines
     * @param originalMisses of the operation alone, in a cache warmed by itself
     * @param stepsMisses that the search promises to each further member
     * @param switches of one execution
     * @param leaderMisses of the first member of the replayed team
     * @param memberMisses mean of its further members
     * @param memberMissesWithSwitches the same with the code of the switches
     */
    record Operation(
            String name,
            int executions,
            int instructions,
            long codeBytes,
            int kneeWidth,
            int kneeHeight,
            int originalMisses,
            int stepsMisses,
            List<Point> points,
            int switches,
            double leaderMisses,
            double memberMisses,
            double memberMissesWithSwitches) {
        Operation {
            points = List.copyOf(points);
        }
    }

    /** Searches one operation of a trace, and replays a team with what was found. */
    static Operation of(TraceFile traces, int operation, CacheShape shape, Knee knee, int members, int switchBytes) {
        InstructionTrace trace = traces.typical(operation);
        SwitchPlacement placement = new SwitchPointSearch(trace, shape, knee).place();
        List<Point> points = placement.addresses().stream()
                .map(address -> new Point(
                        Long.toHexString(address),
                        traces.place(address),
                        Math.toIntExact(placement.switches().stream()
                                .filter(at -> trace.address(at) == address)
                                .count())))
                .toList();
        List<Integer> misses = new TeamReplay(trace, shape, 0).misses(placement.switches(), members);
        return new Operation(
                traces.name(operation),
                traces.executionCount(operation),
                trace.count(),
                trace.lineCount(shape) * shape.lineBytes(),
                knee.widthInstructions(),
                knee.heightMisses(),
                placement.originalMisses().size(),
                placement.stepsMisses().size(),
                points,
                placement.switches().size(),
                misses.getFirst(),
                furtherMean(misses),
                furtherMean(new TeamReplay(trace, shape, switchBytes).misses(placement.switches(), members)));
    }

    private static double furtherMean(List<Integer> misses) {
        return misses.stream().skip(1).mapToInt(Integer::intValue).average().orElse(0);
    }

    /** The tables. */
    List<Section> sections() {
        Table.Builder found = Table.of(
                1,
                "operation",
                "instructions",
                "code KB",
                "knee width",
                "height",
                "misses alone",
                "promised",
                "points",
                "switches",
                "leader",
                "further member",
                "with switches");
        Table.Builder points = Table.of(2, "operation", "point", "switches");
        for (Operation operation : operations) {
            found.row(List.of(
                    operation.name,
                    Figures.plain(operation.instructions),
                    Figures.plain(operation.codeBytes / 1024.0),
                    Integer.toString(operation.kneeWidth),
                    Integer.toString(operation.kneeHeight),
                    Integer.toString(operation.originalMisses),
                    Integer.toString(operation.stepsMisses),
                    Integer.toString(operation.points.size()),
                    Integer.toString(operation.switches),
                    Figures.plain(operation.leaderMisses),
                    Figures.plain(operation.memberMisses),
                    Figures.plain(operation.memberMissesWithSwitches)));
            for (Point point : operation.points) {
                points.row(List.of(operation.name, point.place, Integer.toString(point.switches)));
            }
        }
        List<Section> sections = new ArrayList<>();
        sections.add(Section.of("Switch points for a cache of " + instructionCache, found.build()));
        if (operations.stream().anyMatch(operation -> !operation.points.isEmpty())) {
            sections.add(Section.of("Where they are", points.build()));
        }
        return sections;
    }

    /** The curves of one operation, as in the paper's Figure 15. */
    static Part curves(String name, InstructionTrace trace, SwitchPlacement placement) {
        List<String> at = new ArrayList<>();
        List<Double> original = new ArrayList<>();
        List<Double> steps = new ArrayList<>();
        int points = Math.min(CURVE_POINTS, trace.count());
        for (int i = 1; i <= points; i++) {
            int end = (int) ((long) trace.count() * i / points);
            at.add(Integer.toString(end));
            original.add(countBelow(placement.originalMisses(), end));
            steps.add(countBelow(placement.stepsMisses(), end));
        }
        return new LinePlot(
                new PlotFrame(
                        "misses-by-instruction",
                        "Instruction-cache misses of " + name,
                        "Alone, in a cache warmed by itself, and as a further member of a team with "
                                + placement.switches().size() + " switches.",
                        "executed instructions",
                        "misses so far",
                        false),
                at,
                List.of(new Series("alone", original), new Series("further member", steps)));
    }

    private static double countBelow(List<Integer> misses, int end) {
        return misses.stream().filter(at -> at < end).count();
    }
}
