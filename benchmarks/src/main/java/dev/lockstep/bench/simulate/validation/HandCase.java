package dev.lockstep.bench.simulate.validation;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A program whose counts follow from the geometry by counting.
 *
 * @param source the program, one of {@link Programs}
 * @param pattern its first argument
 * @param behind its arguments behind the number of rounds
 * @param geometry of the caches
 * @param rounds of the shorter run, so many that the caches have reached their steady state
 * @param perRound what one round counts
 * @param bound how far the simulator may be off
 */
record HandCase(
        String source,
        String pattern,
        List<String> behind,
        Geometry geometry,
        long rounds,
        Map<Quantity, Double> perRound,
        Bound bound) {
    HandCase {
        behind = List.copyOf(behind);
        perRound = Map.copyOf(perRound);
    }

    /** Steady after the first round, so three are enough; exact. */
    private static final long ROUNDS = 3;

    /** A single thread's case without expectations yet. */
    static HandCase of(Geometry geometry, String pattern, long... behind) {
        List<String> texts = Arrays.stream(behind).mapToObj(Long::toString).toList();
        return new HandCase("patterns", pattern, texts, geometry, ROUNDS, Map.of(), Bound.exact());
    }

    /** The same with one more expectation. */
    HandCase expect(Quantity quantity, double count) {
        Map<Quantity, Double> more = new EnumMap<>(Quantity.class);
        more.putAll(perRound);
        more.put(quantity, count);
        return new HandCase(source, pattern, behind, geometry, rounds, more, bound);
    }

    HandCase withRounds(long count) {
        return new HandCase(source, pattern, behind, geometry, count, perRound, bound);
    }

    /** For a reader. */
    String text() {
        return (pattern + " " + String.join(" ", behind)).strip();
    }
}
