package dev.lockstep.counters;

import java.util.Objects;

/**
 * One reason why hardware counters cannot be read here. Immutable.
 *
 * @param kind which
 * @param reason what was found, with its values, and what would help, one sentence
 */
public record CounterObstacle(Kind kind, String reason) {
    /** Refuses null. */
    public CounterObstacle {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(reason, "reason");
    }

    /** Kinds of obstacles. */
    public enum Kind {
        /** The native part of Lockstep is not there. */
        NATIVE_PART_MISSING,
        /** The library PAPI is not there. */
        LIBRARY_MISSING,
        /** The library is not PAPI, or of an unknown version. */
        LIBRARY_UNFIT,
        /** The machine does not let this system see its counters, or they stand still. */
        NOT_EXPOSED,
        /** This process may not read them. */
        PERMISSION,
        /** Another program holds them. */
        IN_USE,
        /** PAPI refused for a reason of its own. */
        REFUSED
    }
}
