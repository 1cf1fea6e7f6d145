package dev.lockstep.counters;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Counts of one thread over one stretch of its time. Immutable.
 *
 * @param counts how often each event that was asked for occurred, 0 or more
 * @param multiplexed whether the events took turns on too few counters: each count is then an estimate from the part of
 *     the time in which it was counted, and worth little for stretches under about a tenth of a second
 */
public record CounterValues(Map<CounterEvent, Long> counts, boolean multiplexed) {
    private static final double THOUSAND = 1000;

    /** Copies the counts. */
    public CounterValues {
        Map<CounterEvent, Long> copy = new EnumMap<>(CounterEvent.class);
        copy.putAll(counts);
        counts = Collections.unmodifiableMap(copy);
    }

    /** The count of an event, empty when it was not asked for. */
    public OptionalLong count(CounterEvent event) {
        Long count = counts.get(event);
        return count == null ? OptionalLong.empty() : OptionalLong.of(count);
    }

    /** Occurrences per thousand instructions, empty when either was not counted or no instruction was. */
    public OptionalDouble perThousandInstructions(CounterEvent event) {
        Long count = counts.get(event);
        Long instructions = counts.get(CounterEvent.INSTRUCTIONS);
        return count == null || instructions == null || instructions == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(count * THOUSAND / instructions);
    }

    /**
     * What was counted since an earlier reading of the same counting.
     *
     * @throws IllegalArgumentException when the readings are of different events
     */
    public CounterValues minus(CounterValues earlier) {
        if (!counts.keySet().equals(earlier.counts.keySet())) {
            throw new IllegalArgumentException("Readings of different events: events=" + counts.keySet()
                    + " earlierEvents=" + earlier.counts.keySet() + "; subtract readings of one counting");
        }
        Map<CounterEvent, Long> difference = new EnumMap<>(CounterEvent.class);
        // Estimates of a multiplexed event may fall from one reading to the next.
        counts.forEach((event, count) -> difference.put(event, Math.max(0, count - earlier.counts.get(event))));
        return new CounterValues(difference, multiplexed || earlier.multiplexed);
    }
}
