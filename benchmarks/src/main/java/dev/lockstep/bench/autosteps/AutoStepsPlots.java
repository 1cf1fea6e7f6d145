package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.autosteps.TeamReplay.Order;
import dev.lockstep.bench.report.BarPlot;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.PointPlot;
import dev.lockstep.bench.report.Series;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** What autoSTEPS found as pictures, the paper's Figures 15 to 17. */
final class AutoStepsPlots {
    /** Points of a curve: enough to see its knees, few enough for a page. */
    private static final int CURVE_POINTS = 60;

    /** Operations beside each other: as many names as stand below a plot and can be read. */
    private static final int OPERATIONS_MAX = 8;

    /**
     * Heights of knees beside each other: three colours are those of placement by hand, of stages, and without a team.
     */
    private static final int HEIGHTS_MAX = Series.COUNT_MAX - 3;

    private AutoStepsPlots() {}

    /**
     * The curves of one operation, as in the paper's Figure 15.
     *
     * @param switched replays it with the code of a switch
     * @param staged replays it without
     */
    static Part curves(
            String name,
            InstructionTrace trace,
            SwitchPlacement placement,
            TeamReplay switched,
            TeamReplay staged,
            int members) {
        List<String> at = new ArrayList<>();
        List<Integer> ends = new ArrayList<>();
        int points = Math.min(CURVE_POINTS, trace.count());
        for (int i = 1; i <= points; i++) {
            int end = (int) ((long) trace.count() * i / points);
            at.add(Integer.toString(end));
            ends.add(end);
        }
        return new LinePlot(
                new PlotFrame(
                        "misses-by-instruction",
                        "Instruction-cache misses of " + name,
                        "Alone, in a cache warmed by itself; as a further member of a team with "
                                + placement.switches().size() + " switches, promised and replayed, by stages and by"
                                + " switches; and by the last of as many members that run one after the other with"
                                + " those switches.",
                        "executed instructions",
                        "misses so far",
                        false),
                at,
                List.of(
                        curve("alone", placement.originalMisses(), ends),
                        curve("serially, with switches", last(switched, placement, members, Order.SERIAL), ends),
                        curve("further member, promised", placement.stepsMisses(), ends),
                        curve("further member, staged", last(staged, placement, members, Order.TEAM), ends),
                        curve("further member, switched", last(switched, placement, members, Order.TEAM), ends)));
    }

    private static List<Integer> last(TeamReplay replay, SwitchPlacement placement, int members, Order order) {
        return replay.missesAt(placement.switches(), members, order).getLast();
    }

    private static Series curve(String name, List<Integer> misses, List<Integer> ends) {
        return new Series(
                name, ends.stream().map(end -> countBelow(misses, end)).toList());
    }

    private static double countBelow(List<Integer> misses, int end) {
        return misses.stream().filter(at -> at < end).count();
    }

    /**
     * Knees of all kinds and placement by hand, as in the paper's Figure 16.
     *
     * @param operations one operation with several knees
     */
    static Part knees(List<AutoStepsResult.Operation> operations) {
        AutoStepsResult.Operation any = operations.getFirst();
        TreeSet<Integer> switches = new TreeSet<>(List.of(any.manualSwitches()));
        TreeSet<Integer> heights = new TreeSet<>();
        for (AutoStepsResult.Operation operation : operations) {
            switches.add(operation.switches());
            heights.add(operation.kneeHeight());
        }
        List<Series> series = new ArrayList<>();
        for (int height : heights.stream().limit(HEIGHTS_MAX).toList()) {
            List<Double> misses = switches.stream()
                    .map(count -> fewest(
                            operations,
                            each -> each.kneeHeight() == height && each.switches() == count,
                            AutoStepsResult.Operation::memberMissesWithSwitches))
                    .toList();
            series.add(new Series("height " + height, misses));
        }
        series.add(new Series("staged", byCount(operations, switches, AutoStepsResult.Operation::memberMisses)));
        series.add(
                new Series("serially", byCount(operations, switches, AutoStepsResult.Operation::serialMemberMisses)));
        series.add(new Series(
                "by hand",
                switches.stream()
                        .map(count -> count == any.manualSwitches() ? any.manualMemberMisses() : Double.NaN)
                        .toList()));
        return new PointPlot(
                new PlotFrame(
                        "misses-by-switches",
                        "Switches and misses of " + any.name(),
                        "Each knee that was searched for, and placement by hand, with the code of the switches; the"
                                + " same points in stages, without it, and serially, with the switches but without a"
                                + " team. Of knees that make as many switches the one with the fewest misses.",
                        "switches of a member",
                        "misses of a further member",
                        false),
                switches.stream().map(count -> Integer.toString(count)).toList(),
                series);
    }

    /** Of knees of any height. */
    private static List<Double> byCount(
            List<AutoStepsResult.Operation> operations,
            Collection<Integer> switches,
            ToDoubleFunction<AutoStepsResult.Operation> misses) {
        return switches.stream()
                .map(count -> fewest(operations, each -> each.switches() == count, misses))
                .toList();
    }

    private static double fewest(
            List<AutoStepsResult.Operation> operations,
            Predicate<AutoStepsResult.Operation> which,
            ToDoubleFunction<AutoStepsResult.Operation> misses) {
        return operations.stream().filter(which).mapToDouble(misses).min().orElse(Double.NaN);
    }

    /**
     * Placements beside each other, as in the paper's Figure 17.
     *
     * @param operations each once; those that execute most are shown
     */
    static Part placements(List<AutoStepsResult.Operation> operations) {
        List<AutoStepsResult.Operation> shown = operations.stream()
                .sorted(Comparator.comparingInt(AutoStepsResult.Operation::instructions)
                        .reversed())
                .limit(OPERATIONS_MAX)
                .toList();
        return new BarPlot(
                new PlotFrame(
                        "misses-by-placement",
                        "Who places the switches",
                        "Without switches; with those of autoSTEPS, one member after the other, in stages, which"
                                + " execute no code of a switch, and in a team; with those of them that the agent can"
                                + " insert; and by hand.",
                        "operation",
                        "misses of a further member",
                        false),
                false,
                shown.stream().map(AutoStepsResult.Operation::name).toList(),
                List.of(
                        series("nobody", shown, AutoStepsResult.Operation::originalMisses),
                        series("autoSTEPS, serially", shown, AutoStepsResult.Operation::serialMemberMisses),
                        series("autoSTEPS, staged", shown, AutoStepsResult.Operation::memberMisses),
                        series("autoSTEPS", shown, AutoStepsResult.Operation::memberMissesWithSwitches),
                        series("the agent", shown, AutoStepsResult.Operation::insertedMemberMisses),
                        series("hand", shown, AutoStepsResult.Operation::manualMemberMisses)));
    }

    private static Series series(
            String name,
            List<AutoStepsResult.Operation> operations,
            ToDoubleFunction<AutoStepsResult.Operation> misses) {
        return new Series(name, operations.stream().map(misses::applyAsDouble).toList());
    }
}
