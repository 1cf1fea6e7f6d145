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
 * @param methods those that miss most in some level, see {@link #PLACES_MAX}
 * @param lines likewise, {@code Class.method:line}
 * @param chains likewise, the outermost method first
 */
public record MissedCode(Misses totals, Misses unresolved, List<Place> methods, List<Place> lines, List<Place> chains) {
    /** So many places are kept that miss most in each level. */
    public static final int PLACES_MAX = 100;

    /** If a larger part is unresolved, the places do not stand for the whole. */
    public static final double UNRESOLVED_SHARE_MAX = 0.02;

    /** Copies the places. */
    public MissedCode {
        methods = List.copyOf(methods);
        lines = List.copyOf(lines);
        chains = List.copyOf(chains);
    }

    /** Misses of the four levels; 0 in a level that there is not. */
    public record Misses(long l1i, long l1d, long l2, long llc) {
        /** Both sums. */
        public Misses plus(Misses other) {
            return new Misses(l1i + other.l1i, l1d + other.l1d, l2 + other.l2, llc + other.llc);
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

    /** The places that miss most in a level, the greatest first, those without misses left out. */
    public static List<Place> most(List<Place> places, ToLongFunction<Misses> level, int count) {
        return places.stream()
                .filter(place -> level.applyAsLong(place.misses()) > 0)
                .sorted(Comparator.comparingLong((Place place) -> level.applyAsLong(place.misses()))
                        .reversed()
                        .thenComparing(Place::name))
                .limit(count)
                .toList();
    }
}
