package dev.lockstep.bench.simulate.validation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What runs a program and counts: the simulator, or cachegrind. */
interface Instrument {
    /** How many times as many rounds the longer run of a {@link #difference} has. */
    int LONGER = 2;

    /**
     * Runs a program to its end.
     *
     * @param command the program and its arguments
     * @param geometry of the caches
     * @throws ToolException when the program or the instrument fails, or prints no counts
     */
    Counts count(List<String> command, Geometry geometry) throws IOException, InterruptedException;

    /**
     * What so many further rounds cost: a run of twice as many rounds less a run of as many, so that all that comes
     * before the first and behind the last round cancels.
     *
     * @param program the program
     * @param before arguments before the number of rounds
     * @param rounds of the shorter run
     * @param behind arguments behind the number of rounds
     */
    default Counts difference(
            List<String> program, List<String> before, long rounds, List<String> behind, Geometry geometry)
            throws IOException, InterruptedException {
        Counts shorter = count(command(program, before, rounds, behind), geometry);
        return count(command(program, before, rounds * LONGER, behind), geometry)
                .minus(shorter);
    }

    private static List<String> command(List<String> program, List<String> before, long rounds, List<String> behind) {
        List<String> command = new ArrayList<>(program);
        command.addAll(before);
        command.add(Long.toString(rounds));
        command.addAll(behind);
        return command;
    }
}
