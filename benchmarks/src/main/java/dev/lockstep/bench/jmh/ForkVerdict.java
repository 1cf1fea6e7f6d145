package dev.lockstep.bench.jmh;

import java.util.List;

/**
 * How far to believe the figures of a simulated fork.
 *
 * @param benchmark its name, with its parameters
 * @param counts whether the JVM was in the steady state of the control
 * @param sentences what to say of it, a sentence a line
 */
public record ForkVerdict(String benchmark, boolean counts, List<String> sentences) {
    /** Takes an own copy. */
    public ForkVerdict {
        sentences = List.copyOf(sentences);
    }
}
