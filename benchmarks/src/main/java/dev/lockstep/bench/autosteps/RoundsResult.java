package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.LinePlot;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Part;
import dev.lockstep.bench.report.PlotFrame;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Series;
import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What came of placing points, inserting them and tracing again. Immutable.
 *
 * @param format of this record as JSON
 * @param instructionCache the geometry that the points are for
 * @param members of the team that was replayed
 * @param switchBytes executed bytes of the code of a switch
 * @param rounds in their order; each begins with the trace that the one before has ended with
 * @param agree whether the last round's predictions came true
 * @param kept number of the round whose points were kept
 * @param verdict a sentence for each operation
 */
record RoundsResult(
        int format,
        String instructionCache,
        int members,
        int switchBytes,
        List<Round> rounds,
        boolean agree,
        int kept,
        List<String> verdict) {
    /** 2: which round's points were kept. */
    static final int FORMAT = 2;

    /** Between prediction and measurement, as a part of the prediction. */
    static final double DIFFERENCE_MAX = 0.1;

    private static final int PERCENT = 100;

    RoundsResult {
        rounds = List.copyOf(rounds);
        verdict = List.copyOf(verdict);
    }

    /**
     * Points placed once.
     *
     * @param number from 1
     * @param outcomes of the operations
     * @param points that were inserted
     */
    record Round(int number, List<Outcome> outcomes, List<String> points) {
        Round {
            outcomes = List.copyOf(outcomes);
            points = List.copyOf(points);
        }

        boolean agrees() {
            return outcomes.stream().allMatch(Outcome::agrees);
        }

        /** What further members miss of all operations; one without points misses what it does alone. */
        private double missesLeft() {
            return outcomes.stream()
                    .mapToDouble(
                            outcome -> outcome.measured == null ? outcome.missesAlone : outcome.measured.memberMisses())
                    .sum();
        }
    }

    /**
     * The round whose points are worth keeping: the last one, if it came as predicted, or else the first of those whose
     * members miss least.
     */
    static Round best(List<Round> rounds) {
        return rounds.getLast().agrees()
                ? rounds.getLast()
                : rounds.stream()
                        .min(Comparator.comparingDouble(Round::missesLeft))
                        .orElseThrow();
    }

    /**
     * One operation.
     *
     * @param missesAlone in a cache warmed by itself, without switches
     * @param points that the search found
     * @param refused why points were not inserted, a sentence each
     * @param movedInstructions by which points were moved back to where they can be inserted, of all points
     * @param predicted from the trace before the points were inserted; null where none is
     * @param measured in the trace with the points; null where the operation is not in it, or no point was inserted
     */
    record Outcome(
            String name,
            int missesAlone,
            int points,
            List<String> refused,
            int movedInstructions,
            AutoStepsResult.Replayed predicted,
            AutoStepsResult.Replayed measured) {
        Outcome {
            refused = List.copyOf(refused);
        }

        /** Whether it came as predicted; one that needs no points does. */
        boolean agrees() {
            if (points == 0) {
                return true;
            }
            // A part of nearly nothing is less than what can be missed at all.
            return measured != null
                    && Math.abs(measured.memberMisses() - predicted.memberMisses())
                            <= Math.max(1, DIFFERENCE_MAX * predicted.memberMisses());
        }

        /** What happened, in words. */
        String sentence() {
            if (points == 0) {
                return name + ": no knee of misses, so no switch point; " + missesAlone + " misses alone.";
            }
            if (predicted == null) {
                return name + ": none of " + points + " points could be inserted: " + String.join("; ", refused);
            }
            if (measured == null) {
                return name + ": the operation does not occur in the trace with the points.";
            }
            String figures = name + ": predicted " + Figures.plain(predicted.memberMisses()) + " and measured "
                    + Figures.plain(measured.memberMisses()) + " misses of a further member, ";
            return agrees()
                    ? figures + difference() + " apart: they agree" + refusedToo() + "."
                    : figures + difference() + " apart, because " + String.join("; ", reasons()) + ".";
        }

        private String refusedToo() {
            return refused.isEmpty()
                    ? ""
                    : ", with " + refused.size() + " of " + points + " points left out: " + String.join("; ", refused);
        }

        private String difference() {
            double difference = Math.abs(measured.memberMisses() - predicted.memberMisses());
            return predicted.memberMisses() == 0
                    ? Figures.plain(difference) + " misses"
                    : String.format(Locale.ROOT, "%.0f %%", PERCENT * difference / predicted.memberMisses());
        }

        private List<String> reasons() {
            List<String> reasons = new ArrayList<>();
            if (measured.passes() == 0) {
                reasons.add("no point is passed in the new code");
            } else if (measured.passes() != predicted.passes()) {
                reasons.add("points are passed " + measured.passes() + " times in place of " + predicted.passes());
            }
            if (Math.abs(measured.codeBytes() - predicted.codeBytes()) > DIFFERENCE_MAX * predicted.codeBytes()
                    || Math.abs(measured.instructions() - predicted.instructions())
                            > DIFFERENCE_MAX * predicted.instructions()) {
                reasons.add("inlining has changed: the operation executes " + measured.instructions()
                        + " instructions in " + measured.codeBytes() + " bytes of code in place of "
                        + predicted.instructions() + " in " + predicted.codeBytes());
            }
            if (movedInstructions > 0) {
                reasons.add("points were moved back by " + movedInstructions + " instructions to where they can be");
            }
            reasons.addAll(refused);
            if (reasons.isEmpty()) {
                reasons.add("as much code as before lies at other addresses, and so in other sets of the cache");
            }
            return reasons;
        }
    }

    /** The tables. */
    List<Section> sections() {
        List<Section> sections = new ArrayList<>();
        rounds.forEach(round -> sections.add(section(round)));
        Section said = Section.of(agree ? "Prediction and measurement agree" : "Prediction and measurement disagree");
        List<Part> words = new ArrayList<>(verdict.stream().map(Paragraph::new).toList());
        if (!agree && kept < rounds.size()) {
            words.add(new Paragraph("Of its " + rounds.size() + " rounds members missed least with the points of round "
                    + kept + ", which are kept."));
        }
        sections.add(said.with(words));
        return sections;
    }

    /** The tables and plots. */
    List<Section> page() {
        List<Section> page = new ArrayList<>(sections());
        rounds.getFirst().outcomes.stream()
                .filter(outcome -> outcome.predicted != null)
                .findFirst()
                .ifPresent(outcome -> page.add(Section.of("Round by round", plot(outcome.name))));
        return page;
    }

    /** One round, as it is printed when it ends. */
    static Section section(Round round) {
        Table.Builder table = Table.of(
                1,
                "operation",
                "misses alone",
                "points",
                "refused",
                "predicted passes",
                "misses",
                "measured passes",
                "misses",
                "instructions before",
                "with points");
        for (Outcome outcome : round.outcomes) {
            List<String> cells = new ArrayList<>(List.of(
                    outcome.name,
                    Integer.toString(outcome.missesAlone),
                    Integer.toString(outcome.points),
                    Integer.toString(outcome.refused.size())));
            cells.addAll(cells(outcome.predicted));
            cells.addAll(cells(outcome.measured));
            cells.add(instructions(outcome.predicted));
            cells.add(instructions(outcome.measured));
            table.row(cells);
        }
        Section section = Section.of("Round " + round.number, table.build());
        if (round.points.isEmpty()) {
            return section;
        }
        Table.Builder points = Table.of(1, "inserted before");
        round.points.forEach(point -> points.row(List.of(point)));
        return section.with(List.of(points.build()));
    }

    private static List<String> cells(AutoStepsResult.Replayed replayed) {
        return replayed == null
                ? List.of("-", "-")
                : List.of(Integer.toString(replayed.passes()), Figures.plain(replayed.memberMisses()));
    }

    private static String instructions(AutoStepsResult.Replayed replayed) {
        return replayed == null ? "-" : Integer.toString(replayed.instructions());
    }

    /** Predictions and measurements of an operation, round by round; NaN where there is none. */
    private LinePlot plot(String operation) {
        List<String> numbers = new ArrayList<>();
        List<Double> predicted = new ArrayList<>();
        List<Double> measured = new ArrayList<>();
        for (Round round : rounds) {
            for (Outcome outcome : round.outcomes) {
                if (outcome.name.equals(operation)) {
                    numbers.add(Integer.toString(round.number));
                    predicted.add(misses(outcome.predicted));
                    measured.add(misses(outcome.measured));
                }
            }
        }
        return new LinePlot(
                new PlotFrame(
                        "misses-by-round",
                        "Misses of a further member, " + operation,
                        "Predicted before the points were inserted, and measured in the trace with them.",
                        "round",
                        "instruction-cache misses",
                        false),
                numbers,
                List.of(new Series("predicted", predicted), new Series("measured", measured)));
    }

    private static double misses(AutoStepsResult.Replayed replayed) {
        return replayed == null ? Double.NaN : replayed.memberMisses();
    }
}
