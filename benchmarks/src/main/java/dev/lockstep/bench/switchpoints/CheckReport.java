package dev.lockstep.bench.switchpoints;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the checking mode has seen. The file is text:
 *
 * <pre>
 * lockstep-switch-points-check 2
 * PASSED HELD                    for each point
 * uncounted CLASS                for each class whose latches, locks and monitors could not be counted
 * end
 * </pre>
 *
 * @param passed how often each point was passed in its operation, in the order of the file of points
 * @param held how often a latch, lock or monitor was held then
 * @param uncounted classes that could not be changed, so that what they take is not in {@code held}
 */
public record CheckReport(List<Integer> passed, List<Integer> held, List<String> uncounted) {
    private static final String HEADER = "lockstep-switch-points-check 2";
    private static final String UNCOUNTED = "uncounted ";
    private static final String END = "end";

    /** Copies the lists, which are equally long. */
    public CheckReport {
        passed = List.copyOf(passed);
        held = List.copyOf(held);
        uncounted = List.copyOf(uncounted);
    }

    /** Writes the file. */
    void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>(List.of(HEADER));
        for (int i = 0; i < passed.size(); i++) {
            lines.add(passed.get(i) + " " + held.get(i));
        }
        uncounted.forEach(className -> lines.add(UNCOUNTED + className));
        lines.add(END);
        Files.write(file, lines);
    }

    /**
     * Reads the file.
     *
     * @throws SwitchPointException if it is not such a file, damaged or cut short
     */
    public static CheckReport read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        if (lines.size() < 2
                || !lines.getFirst().equals(HEADER)
                || !lines.getLast().equals(END)) {
            throw wrong("no report of a check of switch points: file=" + file);
        }
        List<Integer> passed = new ArrayList<>();
        List<Integer> held = new ArrayList<>();
        List<String> uncounted = new ArrayList<>();
        for (String line : lines.subList(1, lines.size() - 1)) {
            if (line.startsWith(UNCOUNTED)) {
                uncounted.add(line.substring(UNCOUNTED.length()));
                continue;
            }
            try {
                String[] words = line.split(" ", -1);
                passed.add(Integer.parseInt(words[0]));
                held.add(Integer.parseInt(words[1]));
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                throw wrong("a line of the check of switch points is damaged: line=\"" + line + "\" file=" + file);
            }
        }
        return new CheckReport(passed, held, uncounted);
    }

    private static SwitchPointException wrong(String what) {
        return new SwitchPointException(
                Reason.FORMAT, what + "; remedy: run the program again with the agent of this build, to its end");
    }
}
