package dev.lockstep.bench.report;

import java.util.Collection;
import java.util.stream.DoubleStream;

/**
 * Where repeated measurements of one thing lie.
 *
 * @param median the middle one, or the mean of the two in the middle
 * @param min the least
 * @param max the greatest
 */
public record Spread(double median, double min, double max) {
    /** Of at least one number. */
    public static Spread of(Collection<Double> numbers) {
        return of(numbers.stream().mapToDouble(Double::doubleValue));
    }

    /** Of at least one number. */
    public static Spread of(DoubleStream numbers) {
        double[] sorted = numbers.sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
