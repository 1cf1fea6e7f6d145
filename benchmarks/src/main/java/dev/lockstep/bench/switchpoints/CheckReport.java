package dev.lockstep.bench.switchpoints;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the checking mode has seen. The file has a header, a line of two numbers for each point, and {@code end}.
 *
 * @param passed how often each point was passed in its operation, in the order of the file of points
 * @param held how often a latch, lock or monitor was held then
 */
public record CheckReport(List<Integer> passed, List<Integer> held) {
    private static final String HEADER = "lockstep-switch-points-check 1";
    private static final String END = "end";

    /** Copies the lists, which are equally long. */
    public CheckReport {
        passed = List.copyOf(passed);
        held = List.copyOf(held);
    }

    /** Writes the file. */
    void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>(List.of(HEADER));
        for (int i = 0; i < passed.size(); i++) {
            lines.add(passed.get(i) + " " + held.get(i));
        }
        lines.add(END);
        Files.write(file, lines);
    }

    /**
     * Reads the file.
     *
     * @throws SwitchPointException if it is not such a file, or cut short
     */
    public static CheckReport read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        if (lines.size() < 2
                || !lines.getFirst().equals(HEADER)
                || !lines.getLast().equals(END)) {
            throw new SwitchPointException(
                    Reason.FORMAT,
                    "no report of a check of switch points: file=" + file
                            + "; remedy: run the program again with the agent of this build, to its end");
        }
        List<Integer> passed = new ArrayList<>();
        List<Integer> held = new ArrayList<>();
        for (String line : lines.subList(1, lines.size() - 1)) {
            String[] words = line.split(" ", -1);
            passed.add(Integer.parseInt(words[0]));
            held.add(Integer.parseInt(words[1]));
        }
        return new CheckReport(passed, held);
    }
}
