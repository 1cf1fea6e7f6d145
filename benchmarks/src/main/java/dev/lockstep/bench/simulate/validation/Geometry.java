package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.List;

/**
 * The caches of a validation run, and how many processors have them.
 *
 * @param l1i of each core
 * @param l1d of each core; null if data accesses are not simulated
 * @param l2 of each core; null if there is none
 * @param last shared by all cores; null if there is none
 * @param inclusive whether an eviction from L2 or the last level takes the line out of the levels above
 * @param cores simulated
 * @param further lines of the machine's description, {@code key=value}, which come behind those that the rest makes
 */
record Geometry(
        CacheShape l1i,
        CacheShape l1d,
        CacheShape l2,
        CacheShape last,
        boolean inclusive,
        int cores,
        List<String> further) {
    private static final int KIB_BYTES = 1024;

    Geometry {
        further = List.copyOf(further);
    }

    /** Caches and nothing else. */
    Geometry(CacheShape l1i, CacheShape l1d, CacheShape l2, CacheShape last, boolean inclusive, int cores) {
        this(l1i, l1d, l2, last, inclusive, cores, List.of());
    }

    /** A cache of so many units of 1,024 bytes. */
    static CacheShape kib(long kib, int ways, int lineBytes) {
        return new CacheShape(kib * KIB_BYTES, ways, lineBytes);
    }

    /** One core with split L1s and, in the place of L2 and L3, one last level that includes nothing: cachegrind's. */
    static Geometry twoLevels(CacheShape l1i, CacheShape l1d, CacheShape last) {
        return new Geometry(l1i, l1d, null, last, false, 1);
    }

    /** One core with an L1-I and nothing else. */
    static Geometry instructionsOnly(CacheShape l1i) {
        return new Geometry(l1i, null, null, null, false, 1);
    }

    Geometry withL1d(CacheShape shape) {
        return new Geometry(l1i, shape, l2, last, inclusive, cores, further);
    }

    Geometry withCores(int count) {
        return new Geometry(l1i, l1d, l2, last, inclusive, count, further);
    }

    /** The same with these lines of a machine's description behind the others. */
    Geometry withFurther(String... lines) {
        return new Geometry(l1i, l1d, l2, last, inclusive, cores, List.of(lines));
    }

    /** For a reader. */
    String text() {
        List<String> parts = new ArrayList<>();
        add(parts, "I", l1i);
        add(parts, "D", l1d);
        add(parts, "L2 ", l2);
        add(parts, "LL ", last);
        if (inclusive) {
            parts.add("inclusive");
        }
        if (cores > 1) {
            parts.add(cores + " cores");
        }
        parts.addAll(further);
        return String.join(" ", parts);
    }

    private static void add(List<String> parts, String name, CacheShape shape) {
        if (shape != null) {
            parts.add(name + shape.text());
        }
    }
}
