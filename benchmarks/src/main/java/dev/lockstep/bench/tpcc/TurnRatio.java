package dev.lockstep.bench.tpcc;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * A ratio of two configurations that took turns, from the totals of all their turns, with an interval that holds the
 * ratio of these two databases in 95 of 100 such runs. By totals, because what happens in few turns, like a checkpoint,
 * counts as much as it took.
 *
 * <p>The interval is that of non-overlapping batch means (Law, Simulation Modeling and Analysis, section 9.5.3) on a
 * ratio estimator: the turns of either side, in order, are cut into as many batches as {@link #BATCHES}, which lie at
 * the same times; batches are long, so that a disturbance of several turns does not make the interval too narrow, and
 * what met both sides of a batch cancels out. It does not hold what differs between two databases of one configuration,
 * like the place of their pages in memory: the control shows that.
 *
 * @param ratio work for each unit of cost of the first, over that of the second
 * @param low end of the interval
 * @param high end of the interval
 */
public record TurnRatio(double ratio, double low, double high) {
    /** Few enough that each has several turns, and enough for a quantile near that of a normal distribution. */
    static final int BATCHES = 20;

    /** Of Student's distribution with 19 degrees of freedom, at 0.975. */
    private static final double QUANTILE = 2.093;

    /**
     * Compares.
     *
     * @param cost of a turn
     * @return {@code null} if a side has fewer turns than there are batches, or did nothing, or its cost is not known
     */
    static TurnRatio of(List<Turn> numerator, List<Turn> denominator, ToLongFunction<Turn> cost) {
        Batches above = Batches.of(numerator, cost);
        Batches below = Batches.of(denominator, cost);
        if (above == null || below == null) {
            return null;
        }
        double squares = 0;
        for (int i = 0; i < BATCHES; i++) {
            double difference = above.residual(i) - below.residual(i);
            squares += difference * difference;
        }
        // Each residual is a batch's part of the logarithm's error; they add up to zero.
        double error = Math.sqrt(squares * BATCHES / (BATCHES - 1));
        double ratio = above.workByCost() / below.workByCost();
        double factor = Math.exp(QUANTILE * error);
        return new TurnRatio(ratio, ratio / factor, ratio * factor);
    }

    /** One side's turns. */
    private static final class Batches {
        private final double[] work = new double[BATCHES];
        private final double[] cost = new double[BATCHES];
        private double allWork;
        private double allCost;

        static Batches of(List<Turn> turns, ToLongFunction<Turn> costOf) {
            if (turns.size() < BATCHES || turns.stream().anyMatch(turn -> costOf.applyAsLong(turn) < 0)) {
                return null;
            }
            Batches batches = new Batches();
            for (int i = 0; i < turns.size(); i++) {
                Turn turn = turns.get(i);
                batches.add(i * BATCHES / turns.size(), turn.committed(), costOf.applyAsLong(turn));
            }
            return batches.allWork == 0 || batches.allCost == 0 ? null : batches;
        }

        private void add(int batch, long turnWork, long turnCost) {
            work[batch] += turnWork;
            cost[batch] += turnCost;
            allWork += turnWork;
            allCost += turnCost;
        }

        double workByCost() {
            return allWork / allCost;
        }

        double residual(int batch) {
            return work[batch] / allWork - cost[batch] / allCost;
        }
    }
}
