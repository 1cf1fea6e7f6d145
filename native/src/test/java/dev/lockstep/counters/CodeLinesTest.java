package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code simulator/code_lines.c} counts and writes, of a program whose counts are known. */
class CodeLinesTest {
    private static final int ROUNDS = 100_000;

    @TempDir
    Path directory;

    @Test
    void countsByBlockPhaseOperationClassAndEpoch() throws Exception {
        List<String> file = record(List.of("-O2"));
        assertEquals("lockstep-code-lines 5", file.getFirst());
        assertEquals("end", file.getLast());
        Map<String, String> counts = counts(file, false);
        Map<String, String> many = new TreeMap<>(counts);
        many.keySet().removeIf(key -> !key.endsWith(" 4 1 9"));
        assertEquals(5000, many.size());
        assertEquals(Set.of("1 1"), Set.copyOf(many.values()));
        counts.keySet().removeAll(many.keySet());
        assertEquals(
                new TreeMap<>(Map.of(
                        "0 0 other at 1000 10 2 0", "1 1",
                        "1 5 other at 1000 10 2 0", "1 1",
                        "1 7 carrier at 1000 10 2 0", 2L * ROUNDS + " " + 2L * ROUNDS,
                        "1 7 carrier at 1010 11 3 0", 6L * ROUNDS + " " + 2L * ROUNDS,
                        "1 4095 carrier at 1010 11 3 0", 2L * ROUNDS + " " + 2L * ROUNDS,
                        // An operation that there cannot be is not entered.
                        "1 4095 carrier at 1020 12 4 0", 2L * ROUNDS + " " + 2L * ROUNDS,
                        "1 5 other at 1000 10 2 9", "1 1",
                        "1 5 other at 1000 5 1 9", "1 1",
                        "1 6 other at 1000 10 2 9", "1 1",
                        "0 0 other at 1000 10 2 9", "1 1")),
                counts);
        // Whose stay has not ended, or not in its phase, is left out; 20 is of the bucket to 21.
        assertEquals(
                Map.of(
                        "1 7 carrier data 2",
                        2L * ROUNDS,
                        "1 4095 carrier data 21",
                        2L * ROUNDS - 2,
                        "1 5 other data 73727",
                        1L),
                dataStays(file));
        Map<String, String> misses = counts(file, true);
        assertEquals(
                2L * ROUNDS + " 0 " + 6L * ROUNDS + " 0 " + 4L * ROUNDS,
                misses.remove("1 7 carrier at 1010 11 3 0 offset 6"));
        // Whose branch was mispredicted, and missed nothing.
        assertEquals("0 0 0 0 1", misses.remove("1 4095 carrier at 1020 12 4 0 offset 3"));
        assertEquals(1000, misses.size());
        assertEquals("0 5 0 7 0", misses.get("0 0 other at 1020 12 4 0 offset 999"));
        assertEquals(Set.of("0 5 0 7 0"), Set.copyOf(misses.values()));
    }

    /** Threads count without a lock, beside each other and beside those that begin and end. */
    @Test
    void noThreadRacesWithAnother() throws Exception {
        Path empty = Files.writeString(directory.resolve("empty.c"), "int main(void) { return 0; }");
        Path compiled = directory.resolve("empty");
        List<String> command = List.of(
                CPrograms.compiler().toString(), "-fsanitize=thread", "-o", compiled.toString(), empty.toString());
        if (CPrograms.run(Map.of(), command).exitCode() != 0
                || CPrograms.run(Map.of(), List.of(compiled.toString())).exitCode() != 0) {
            throw CPrograms.notRun("the C compiler makes no programs with a thread sanitizer that run here");
        }
        record(List.of("-O1", "-g", "-fsanitize=thread"));
    }

    private List<String> record(List<String> options) throws Exception {
        Path program = CPrograms.compile(
                directory.resolve("recorded"),
                options,
                CPrograms.testSource("code_lines_recorded.c"),
                CPrograms.source("simulator/code_lines.c"));
        Path file = directory.resolve("lines.txt");
        Path unwritable = directory.resolve("missing").resolve("lines.txt");
        CPrograms.Run run =
                CPrograms.run(Map.of(), List.of(program.toString(), file.toString(), unwritable.toString()));
        assertEquals(0, run.exitCode(), run.output());
        assertTrue(
                run.output().startsWith("cannot record executed code: file=" + unwritable + " error="), run.output());
        return Files.readAllLines(file);
    }

    /** How many stays touched how many lines of data, by context. */
    private static Map<String, Long> dataStays(List<String> file) {
        Map<String, Long> stays = new TreeMap<>();
        String context = "";
        for (String line : file) {
            if (line.startsWith("c ")) {
                context = line.substring(2);
            } else if (line.startsWith("d ")) {
                String[] words = line.split(" ", -1);
                stays.merge(context + " data " + words[1], Long.parseLong(words[2]), Long::sum);
            }
        }
        return stays;
    }

    private static String sum(String one, String other) {
        String[] a = one.split(" ", -1);
        String[] b = other.split(" ", -1);
        return IntStream.range(0, a.length)
                .mapToObj(i -> Long.toString(Long.parseLong(a[i]) + Long.parseLong(b[i])))
                .collect(Collectors.joining(" "));
    }

    /**
     * How often each block was executed, and in how many stays, by its context and what is known of it; or the misses
     * of each place.
     */
    private static Map<String, String> counts(List<String> file, boolean missed) {
        List<String> blocks = new ArrayList<>();
        Map<String, String> counts = new TreeMap<>();
        String context = "";
        for (String line : file.subList(1, file.size() - 1)) {
            switch (line.charAt(0)) {
                case 'b' -> blocks.add(line.substring(2));
                case 'c' -> context = line.substring(2);
                case 'd' -> {
                    // See dataStays.
                }
                case 'm' -> {
                    String[] words = line.split(" ", 4);
                    if (missed) {
                        counts.merge(
                                context + " at " + blocks.get(Integer.parseInt(words[1])) + " offset " + words[2],
                                words[3],
                                CodeLinesTest::sum);
                    }
                }
                default -> {
                    if (missed) {
                        continue;
                    }
                    String[] words = line.split(" ", -1);
                    counts.merge(
                            context + " at " + blocks.get(Integer.parseInt(words[0])),
                            line.substring(line.indexOf(' ') + 1),
                            CodeLinesTest::sum);
                }
            }
        }
        return counts;
    }
}
