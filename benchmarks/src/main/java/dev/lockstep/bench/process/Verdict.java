package dev.lockstep.bench.process;

import java.util.List;

/**
 * How far to believe the figures of a simulated run. Immutable.
 *
 * @param run what ran: a configuration, or a benchmark with its parameters
 * @param counts whether its figures count
 * @param sentences what to say of it, a sentence a line
 */
public record Verdict(String run, boolean counts, List<String> sentences) {
    /** Takes an own copy. */
    public Verdict {
        sentences = List.copyOf(sentences);
    }

    /** All of it in one line. */
    public String line() {
        return run + ": " + String.join(" ", sentences);
    }
}
