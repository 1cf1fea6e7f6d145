package dev.lockstep.bench.simulate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a simulated machine consists of: the lines of a machine file, {@code key=value}, as {@code machine.h} of the
 * simulator documents them. Values are checked by the simulator, geometries here too. Immutable.
 */
final class MachineDescription {
    static final String CORES = "cores";
    static final String NODES = "nodes";
    static final String SMT = "smt";
    static final String L1I = "l1i";
    static final String L1D = "l1d";
    static final String L2 = "l2";
    static final String LLC = "llc";
    static final String NONE = "none";
    private static final String OBSERVE = "observe";
    private static final List<String> CACHES = List.of(L1I, L1D, L2, LLC);

    private final Map<String, String> values;
    private final List<String> observed;

    private MachineDescription(Map<String, String> values, List<String> observed) {
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        this.observed = List.copyOf(observed);
    }

    /** A machine with nothing but the defaults of the simulator. */
    static MachineDescription empty() {
        return new MachineDescription(Map.of(), List.of());
    }

    /**
     * Reads a machine file.
     *
     * @throws IllegalArgumentException if a line is none of {@code key=value}, its key was given before, or a geometry
     *     is wrong, with a sentence for the user
     */
    static MachineDescription parse(List<String> lines) {
        MachineDescription machine = empty();
        int number = 0;
        for (String line : lines) {
            number++;
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("line " + number + " is no key=value: " + text);
            }
            String key = text.substring(0, equals).strip();
            if (machine.value(key).isPresent()) {
                throw new IllegalArgumentException("line " + number + ": " + key + " is given twice; keep one");
            }
            try {
                machine = machine.with(key, text.substring(equals + 1).strip());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("line " + number + ": " + e.getMessage(), e);
            }
        }
        return machine;
    }

    /** The same with one value more or other; {@code observe} may be given many times. */
    MachineDescription with(String key, String value) {
        if (CACHES.contains(key) && !value.equals(NONE)) {
            CacheShape.parse(value);
        }
        if (key.equals(OBSERVE)) {
            int colon = value.indexOf(':');
            if (colon < 1) {
                throw new IllegalArgumentException(
                        "'" + value + "' names no observer: write CACHE:GEOMETRY, like l1i:16K,4,64");
            }
            CacheShape.parse(value.substring(colon + 1));
            List<String> more = new ArrayList<>(observed);
            more.add(value);
            return new MachineDescription(values, more);
        }
        Map<String, String> changed = new LinkedHashMap<>(values);
        changed.put(key, value);
        return new MachineDescription(changed, observed);
    }

    /** The same with what another one says instead, where it says something. */
    MachineDescription with(MachineDescription other) {
        MachineDescription sum = this;
        for (Map.Entry<String, String> entry : other.values.entrySet()) {
            sum = sum.with(entry.getKey(), entry.getValue());
        }
        for (String observer : other.observed) {
            sum = sum.with(OBSERVE, observer);
        }
        return sum;
    }

    Optional<String> value(String key) {
        return Optional.ofNullable(values.get(key));
    }

    /** Whether there is such a cache. */
    boolean has(String cache) {
        return value(cache).filter(value -> !value.equals(NONE)).isPresent();
    }

    /** A number that may be missing. */
    int number(String key, int otherwise) {
        try {
            return value(key).map(Integer::parseInt).orElse(otherwise);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(key + "=" + values.get(key) + " is no number", e);
        }
    }

    /** The geometries that only watch, as {@code CACHE:GEOMETRY}. */
    List<String> observed() {
        return observed;
    }

    /** The lines of the machine file. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        values.forEach((key, value) -> lines.add(key + "=" + value));
        observed.forEach(value -> lines.add(OBSERVE + "=" + value));
        return lines;
    }
}
