package dev.lockstep.bench.switchpoints;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What a method may have taken and not given back at a place in its bytecode: how many of each resource at most.
 * Immutable.
 */
final class HeldSet {
    static final HeldSet NOTHING = new HeldSet(Map.of());

    /** More than code nests, and few enough that a loop that takes and never gives back ends soon. */
    private static final int DEPTH_MAX = 16;

    private final Map<Resource, Integer> counts;

    /**
     * A latch, lock or monitor.
     *
     * @param values that name it where it is taken, in the words of the bytecode: receiver and arguments of the call;
     *     empty where they cannot be told
     */
    record Resource(HeldResource kind, List<String> values) {
        Resource {
            values = List.copyOf(values);
        }

        /** Whether both may be the same, as far as their names go: a call that gives back may need more arguments. */
        private boolean isNamedAs(Resource other) {
            int common = Math.min(values.size(), other.values.size());
            return kind == other.kind
                    && common > 0
                    && values.subList(0, common).equals(other.values.subList(0, common));
        }
    }

    private HeldSet(Map<Resource, Integer> counts) {
        this.counts = Map.copyOf(counts);
    }

    boolean isEmpty() {
        return counts.isEmpty();
    }

    /** Both sides of a branch: what one of them may hold may be held. */
    HeldSet or(HeldSet other) {
        Map<Resource, Integer> all = new HashMap<>(counts);
        other.counts.forEach((resource, count) -> all.merge(resource, count, Math::max));
        return new HeldSet(all);
    }

    HeldSet with(Resource taken) {
        Map<Resource, Integer> all = new HashMap<>(counts);
        all.merge(taken, 1, (before, one) -> Math.min(DEPTH_MAX, before + one));
        return new HeldSet(all);
    }

    /**
     * Without one of those that the given one may be. Where all that was taken has other names it was not this method
     * that took it, and all of its own is still held.
     */
    HeldSet without(Resource given) {
        return first(each -> each.isNamedAs(given))
                .or(() -> first(each -> each.kind == given.kind && (each.values.isEmpty() || given.values.isEmpty())))
                .map(this::less)
                .orElse(this);
    }

    /** The first in an order that is the same in every JVM. */
    private Optional<Resource> first(Predicate<Resource> wanted) {
        return counts.keySet().stream().filter(wanted).min(Comparator.comparing(Resource::toString));
    }

    private HeldSet less(Resource resource) {
        Map<Resource, Integer> all = new HashMap<>(counts);
        all.computeIfPresent(resource, (each, count) -> count == 1 ? null : count - 1);
        return new HeldSet(all);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HeldSet that && counts.equals(that.counts);
    }

    @Override
    public int hashCode() {
        return counts.hashCode();
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
