package dev.lockstep.bench.flame;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Samples by what they were about: shares of processor time, by parts that a flame graph shows as frames. Immutable.
 *
 * @param samples all
 * @param byTransaction by type, {@link #OUTSIDE} for what is in none
 * @param byOperation by the engine's name for it, likewise
 * @param byLayer by package of the innermost code of a known program, or by what the JVM or the kernel did; see
 *     {@link Layer}
 */
public record FlameShares(
        long samples, Map<String, Long> byTransaction, Map<String, Long> byOperation, Map<String, Long> byLayer) {
    /** Of no transaction, or of no operation. */
    public static final String OUTSIDE = "outside";

    /** Takes own copies, in the order of the names. */
    public FlameShares {
        byTransaction = Collections.unmodifiableMap(new TreeMap<>(byTransaction));
        byOperation = Collections.unmodifiableMap(new TreeMap<>(byOperation));
        byLayer = Collections.unmodifiableMap(new TreeMap<>(byLayer));
    }
}
