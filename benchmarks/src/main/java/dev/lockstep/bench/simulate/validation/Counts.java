package dev.lockstep.bench.simulate.validation;

import java.util.EnumMap;
import java.util.Map;

/**
 * What one run counted. Immutable.
 *
 * @param values of the quantities that the instrument counts
 * @param seconds of wall time that the counted part took; 0 if the instrument does not say
 */
record Counts(Map<Quantity, Long> values, double seconds) {
    Counts {
        values = Map.copyOf(values);
    }

    /**
     * One quantity.
     *
     * @throws IllegalArgumentException when the instrument does not count it
     */
    long get(Quantity quantity) {
        Long value = values.get(quantity);
        if (value == null) {
            throw new IllegalArgumentException("not counted quantity=" + quantity + " counted=" + values.keySet());
        }
        return value;
    }

    /** What the other run counted besides; both are of one instrument. */
    Counts minus(Counts shorter) {
        Map<Quantity, Long> difference = new EnumMap<>(Quantity.class);
        values.forEach((quantity, value) -> difference.put(quantity, value - shorter.get(quantity)));
        return new Counts(difference, seconds - shorter.seconds);
    }
}
