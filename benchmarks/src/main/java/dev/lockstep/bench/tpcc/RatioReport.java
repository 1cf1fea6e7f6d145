package dev.lockstep.bench.tpcc;

import java.util.Arrays;
import java.util.List;

/**
 * Throughput of one configuration over that of another, repetition by repetition.
 *
 * @param numerator label of the first
 * @param denominator label of the second
 * @param median of the repetitions
 * @param min of the repetitions
 * @param max of the repetitions
 * @param repeats how many repetitions
 */
public record RatioReport(String numerator, String denominator, double median, double min, double max, int repeats) {
    /** Sums up ratios, at least one. */
    public static RatioReport of(String numerator, String denominator, List<Double> ratios) {
        double[] sorted = ratios.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return new RatioReport(
                numerator, denominator, median(sorted), sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    /** The middle one, or the mean of the two in the middle. */
    static double median(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
