package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import dev.lockstep.bench.simulate.CacheShape;
import dev.lockstep.bench.switchpoints.SwitchPoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;

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
    static final int FORMAT = 3;

    AutoStepsResult {
        operations = List.copyOf(operations);
    }

    /**
     * A switch point.
     *
     * @param address of the instruction before which the switch goes, in hexadecimal
     * @param place what lies there, as far as the trace says
     * @param switches how often it is passed in one execution
     * @param bytecode where the agent can insert it, or empty
     * @param refused why it cannot, or empty
     * @param movedInstructions executed between where it is inserted and where it was found
     */
    record Point(String address, String place, int switches, String bytecode, String refused, int movedInstructions) {}

    /**
     * One operation with one knee.
     *
     * @param executions that were recorded; the one with the median number of instructions was searched
     * @param codeBytes in distinct cache lines
     * @param originalMisses of the operation alone, in a cache warmed by itself
     * @param stepsMisses that the search promises to each further member
     * @param switches of one execution
     * @param leaderMisses of the first member of the replayed team
     * @param memberMisses mean of its further members, without the code of switches: as in a team whose leader does
     *     the stages of all
     * @param memberMissesWithSwitches the same with the code of the switches
     * @param serialMemberMisses the same of members that run one after the other, each with as many switches
     * @param insertedSwitches of one execution with those points that can be inserted, where they can; also with those
     *     that were found in other transactions, if the scheduler knows the operation there by the same name
     * @param insertedMemberMisses mean of the further members with these and the code of their switches
     * @param manualPoints of the search by hand
     * @param manualSwitches of one execution with them, where that search wants them
     * @param manualMemberMisses mean of the further members with these and the code of their switches
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
            double memberMissesWithSwitches,
            double serialMemberMisses,
            int insertedSwitches,
            double insertedMemberMisses,
            List<Point> manualPoints,
            int manualSwitches,
            double manualMemberMisses) {
        Operation {
            points = List.copyOf(points);
            manualPoints = List.copyOf(manualPoints);
        }

        /** As in the paper's Figure 17. */
        private void addPlacements(Table.Builder table) {
            addPlacement(table, "nobody", 0, 0, originalMisses);
            addPlacement(table, "autoSTEPS, serially", points.size(), switches, serialMemberMisses);
            addPlacement(table, "autoSTEPS, staged", points.size(), switches, memberMisses);
            addPlacement(table, "autoSTEPS", points.size(), switches, memberMissesWithSwitches);
            long bytecodes = points.stream()
                    .filter(point -> !point.bytecode.isEmpty())
                    .map(Point::bytecode)
                    .distinct()
                    .count();
            addPlacement(table, "the agent", bytecodes, insertedSwitches, insertedMemberMisses);
            addPlacement(table, "hand", manualPoints.size(), manualSwitches, manualMemberMisses);
        }

        private void addPoints(Table.Builder table, String by, List<Point> placed) {
            for (Point point : placed) {
                table.row(List.of(
                        name,
                        by,
                        point.place,
                        point.bytecode.isEmpty() ? point.refused : point.bytecode,
                        Integer.toString(point.switches)));
            }
        }

        private void addPlacement(Table.Builder table, String by, long count, int passes, double misses) {
            table.row(List.of(
                    name,
                    Integer.toString(kneeWidth),
                    Integer.toString(kneeHeight),
                    by,
                    Long.toString(count),
                    Integer.toString(passes),
                    Figures.plain(misses)));
        }
    }

    /**
     * A team with points in its code.
     *
     * @param codeBytes in distinct cache lines
     * @param passes of points in one execution
     * @param memberMisses mean of the further members, with the code of the switches
     */
    record Replayed(int instructions, long codeBytes, int passes, double memberMisses) {}

    /** Searches operations, and replays teams with what was found. Used by one thread. */
    static final class Searches {
        private final TraceFile traces;
        private final PointMapper mapper;
        private final CacheShape shape;
        private final int members;
        private final int switchBytes;
        private final Map<SwitchPoint, String> rejected;
        private final SequencedSet<SwitchPoint> inserted = new LinkedHashSet<>();
        private final SequencedSet<SwitchPoint> insertedByHand = new LinkedHashSet<>();
        private final Map<Integer, SequencedMap<Long, Integer>> byHand = new HashMap<>();

        /**
         * What was found in one operation with one knee.
         *
         * @param inserted those of the points that can be
         */
        private record Found(
                int operation, Knee knee, SwitchPlacement placement, List<Point> points, Set<SwitchPoint> inserted) {}

        Searches(TraceFile traces, PointMapper mapper, CacheShape shape, int members, int switchBytes) {
            this(traces, mapper, shape, members, switchBytes, Map.of());
        }

        /**
         * Searches on when some points have turned out not to do.
         *
         * @param rejected these points, and why
         */
        Searches(
                TraceFile traces,
                PointMapper mapper,
                CacheShape shape,
                int members,
                int switchBytes,
                Map<SwitchPoint, String> rejected) {
            this.rejected = Map.copyOf(rejected);
            this.traces = traces;
            this.mapper = mapper;
            this.shape = shape;
            this.members = members;
            this.switchBytes = switchBytes;
        }

        /** The points of all operations searched so far that can be inserted. */
        List<SwitchPoint> inserted() {
            return List.copyOf(inserted);
        }

        /** Likewise those of the search by hand. */
        List<SwitchPoint> insertedByHand() {
            return List.copyOf(insertedByHand);
        }

        /** Searches operations, each with all knees, and replays teams with what was found in all of them. */
        List<Operation> of(List<Integer> operations, List<Knee> knees) throws IOException {
            List<Found> found = new ArrayList<>();
            for (int operation : operations) {
                for (Knee knee : knees) {
                    found.add(search(operation, knee));
                }
            }
            List<Operation> results = new ArrayList<>();
            for (Found each : found) {
                results.add(replay(each, firing(each, found)));
            }
            return results;
        }

        private Found search(int operation, Knee knee) throws IOException {
            SwitchPlacement placement = new SwitchPointSearch(traces.typical(operation), shape, knee).place();
            Set<SwitchPoint> mapped = new LinkedHashSet<>();
            List<Point> points = points(operation, placement, mapped);
            inserted.addAll(mapped);
            return new Found(operation, knee, placement, points, mapped);
        }

        /** The points that switch in an operation: all that were found with its knee and belong to its name. */
        private List<SwitchPoint> firing(Found in, List<Found> found) {
            String name = traces.registeredName(in.operation);
            return found.stream()
                    .filter(each -> each.knee.equals(in.knee))
                    .flatMap(each -> each.inserted.stream())
                    .filter(point -> point.operation().equals(name))
                    .distinct()
                    .toList();
        }

        private Operation replay(Found found, List<SwitchPoint> firing) throws IOException {
            int operation = found.operation;
            Knee knee = found.knee;
            SwitchPlacement placement = found.placement;
            InstructionTrace trace = traces.typical(operation);
            List<Integer> passes = mapper.passes(trace, firing);
            SwitchPlacement manual = new SwitchPointSearch(trace, shape, knee).judge(manual(operation));
            List<Point> manualPoints = points(operation, manual, insertedByHand);
            List<Integer> misses =
                    new TeamReplay(trace, shape, 0).misses(placement.switches(), members, TeamReplay.Order.TEAM);
            return new Operation(
                    traces.name(operation),
                    traces.executionCount(operation),
                    trace.count(),
                    trace.lineCount(shape) * shape.lineBytes(),
                    knee.widthInstructions(),
                    knee.heightMisses(),
                    placement.originalMisses().size(),
                    placement.stepsMisses().size(),
                    found.points,
                    placement.switches().size(),
                    misses.getFirst(),
                    furtherMean(misses),
                    withSwitches(trace, placement.switches(), TeamReplay.Order.TEAM),
                    withSwitches(trace, placement.switches(), TeamReplay.Order.SERIAL),
                    passes.size(),
                    withSwitches(trace, passes, TeamReplay.Order.TEAM),
                    manualPoints,
                    manual.switches().size(),
                    withSwitches(trace, manual.switches(), TeamReplay.Order.TEAM));
        }

        /** The same for all knees. */
        private SequencedMap<Long, Integer> manual(int operation) {
            return byHand.computeIfAbsent(
                    operation, each -> new ManualSearch(traces.typical(each), shape, switchBytes).place());
        }

        /** The points of a placement; those that can be inserted are added to {@code mapped}. */
        private List<Point> points(int operation, SwitchPlacement placement, Set<SwitchPoint> mapped)
                throws IOException {
            InstructionTrace trace = traces.typical(operation);
            List<Point> points = new ArrayList<>();
            for (int index : placement.found()) {
                long address = trace.address(index);
                long switches = placement.switches().stream()
                        .filter(at -> trace.address(at) == address)
                        .count();
                PointMapper.Mapped found = accepted(mapper.map(traces.registeredName(operation), trace, index));
                if (found.point() != null) {
                    mapped.add(found.point());
                }
                points.add(new Point(
                        Long.toHexString(address),
                        traces.place(address),
                        Math.toIntExact(switches),
                        found.point() == null ? "" : found.point().toString(),
                        found.refused(),
                        found.movedInstructions()));
            }
            return points;
        }

        private PointMapper.Mapped accepted(PointMapper.Mapped found) {
            String why = found.point() == null ? null : rejected.get(found.point());
            return why == null ? found : new PointMapper.Mapped(null, why, found.movedInstructions());
        }

        /** Replays a team with points that are in the traced code already. */
        Replayed replay(int operation, List<SwitchPoint> points) throws IOException {
            InstructionTrace trace = traces.typical(operation);
            List<Integer> passes = mapper.passes(trace, points);
            return new Replayed(
                    trace.count(),
                    trace.lineCount(shape) * shape.lineBytes(),
                    passes.size(),
                    withSwitches(trace, passes, TeamReplay.Order.TEAM));
        }

        private double withSwitches(InstructionTrace trace, List<Integer> switches, TeamReplay.Order order) {
            return furtherMean(new TeamReplay(trace, shape, switchBytes).misses(switches, members, order));
        }
    }

    private static double furtherMean(List<Integer> misses) {
        return misses.stream().skip(1).mapToInt(Integer::intValue).average().orElse(0);
    }

    /** One operation, with each knee. */
    List<Operation> of(String name) {
        return operations.stream().filter(each -> each.name.equals(name)).toList();
    }

    /** All operations, with one knee. */
    List<Operation> with(Knee knee) {
        return operations.stream()
                .filter(each -> each.kneeWidth == knee.widthInstructions() && each.kneeHeight == knee.heightMisses())
                .toList();
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
        Table.Builder placements = Table.of(
                1, "operation", "knee width", "height", "placed by", "points", "switches", "further member misses");
        Table.Builder points = Table.of(4, "operation", "placed by", "point", "inserted before", "switches");
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
            operation.addPoints(points, "autoSTEPS", operation.points);
            // The same with every knee.
            if (operation.equals(of(operation.name).getFirst())) {
                operation.addPoints(points, "hand", operation.manualPoints);
            }
            operation.addPlacements(placements);
        }
        List<Section> sections = new ArrayList<>();
        sections.add(Section.of("Switch points for a cache of " + instructionCache, found.build()));
        sections.add(Section.of(
                "Placements beside each other, the code of the switches included but in stages", placements.build()));
        if (operations.stream()
                .anyMatch(operation -> !operation.points.isEmpty() || !operation.manualPoints.isEmpty())) {
            sections.add(Section.of("Where they are", points.build()));
        }
        return sections;
    }
}
