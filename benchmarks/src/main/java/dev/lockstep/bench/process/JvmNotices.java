package dev.lockstep.bench.process;

import java.util.List;

/** Lines that a JVM writes before and beside what its program says, and that are no reason for anything. */
public final class JvmNotices {
    /** That it has options from its environment. */
    private static final List<String> BEGINS = List.of("Picked up ", "NOTE: Picked up ");

    /** Such as that an option is deprecated. */
    private static final String WARNING = " VM warning: ";

    private JvmNotices() {}

    /** Whether a line is one of them. */
    public static boolean contain(String line) {
        return BEGINS.stream().anyMatch(line::startsWith) || line.contains(WARNING);
    }
}
