package dev.lockstep.bench.simulate;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Which code missed, in the phase that is reported: by method of the source, by line, and by line with the whole chain
 * of callers that it was inlined into. What is no Java method stands by the name of its stub or library. Immutable.
 *
 * @param totals of all code
 * @param unresolved of the code whose place nobody knows
 * @param methods those that miss most in some level, or are mispredicted most, see {@link #PLACES_MAX}
 * @param lines likewise, {@code Class.method:line}
 * @param chains likewise, the outermost method first
 */
public record MissedCode(Misses totals, Misses unresolved, List<Place> methods, List<Place> lines, List<Place> chains) {
    /** So many places are kept that have most of each count. */
    public static final int PLACES_MAX = 100;

    /** If a larger part is unresolved, the places do not stand for the whole. */
    public static final double UNRESOLVED_SHARE_MAX = 0.02;

    /** Copies the places. */
    public MissedCode {
        methods = List.copyOf(methods);
        lines = List.copyOf(lines);
        chains = List.copyOf(chains);
    }

    /**
     * Misses of the four levels; 0 in a level that there is not.
     *
     * @param branches that were mispredicted, of those whose target or direction is not always the same; 0 where
     *     branches are not predicted
     */
    public record Misses(long l1i, long l1d, long l2, long llc, long branches) {
        /** Both sums. */
        public Misses plus(Misses other) {
            return new Misses(
                    l1i + other.l1i, l1d + other.l1d, l2 + other.l2, llc + other.llc, branches + other.branches);
        }

        /** Those of both first levels. */
        public long first() {
            return l1i + l1d;
        }
    }

    /** Where misses came from. */
    public record Place(String name, Misses misses) {}

    /** The part of the first levels' misses whose place nobody knows, 0 to 1. */
    public double unresolvedShare() {
        return totals.first() == 0 ? 0 : (double) unresolved.first() / totals.first();
    }

    /** Whether the places stand for the whole. */
    public boolean isResolved() {
        return unresolvedShare() <= UNRESOLVED_SHARE_MAX;
    }

    /** The places that have most of one of the counts, the greatest first, those without left out. */
    public static List<Place> most(List<Place> places, ToLongFunction<Misses> by, int count) {
        return places.stream()
                .filter(place -> by.applyAsLong(place.misses()) > 0)
                .sorted(Comparator.comparingLong((Place place) -> by.applyAsLong(place.misses()))
                        .reversed()
                        .thenComparing(Place::name))
                .limit(count)
                .toList();
    }
}
