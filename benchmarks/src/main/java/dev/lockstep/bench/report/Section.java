package dev.lockstep.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A heading and what stands below it. Immutable.
 *
 * @param heading plain text
 * @param parts in order; may be empty
 */
public record Section(String heading, List<Part> parts) {
    /** Copies the parts. */
    public Section {
        parts = List.copyOf(parts);
    }

    /** A section of these parts. */
    public static Section of(String heading, Part... parts) {
        return new Section(heading, List.of(parts));
    }

    /** This section with further parts at its end. */
    public Section with(List<? extends Part> further) {
        List<Part> all = new ArrayList<>(parts);
        all.addAll(further);
        return new Section(heading, all);
    }
}
