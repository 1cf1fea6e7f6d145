package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.simulate.CacheShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Valgrind's cache simulator: one thread at a time on one core with split L1s and one unified last level, LRU, stores
 * allocate, nothing inclusive, no lines written back. It counts an access that misses in two lines as one miss, and an
 * instruction that reads and writes one place as a read.
 */
final class Cachegrind implements Instrument {
    private static final String SUMMARY = "summary: ";
    private static final String EVENTS = "events: ";

    private final Path valgrind;
    private final Path directory;

    /**
     * For one validation.
     *
     * @param valgrind the program
     * @param directory where its files go, which exists
     */
    Cachegrind(Path valgrind, Path directory) {
        this.valgrind = valgrind;
        this.directory = directory;
    }

    @Override
    public Counts count(List<String> command, Geometry geometry) throws IOException, InterruptedException {
        if (geometry.l1d() == null || geometry.last() == null || geometry.l2() != null || geometry.cores() != 1) {
            throw new IllegalArgumentException("cachegrind has two levels geometry=" + geometry.text());
        }
        Path result = Files.createTempFile(directory, "cachegrind", ".out");
        List<String> arguments = new ArrayList<>(List.of(
                valgrind.toString(),
                "--tool=cachegrind",
                "--cache-sim=yes",
                // Else VEX executes both sides of && ahead, and cachegrind counts instructions that were never reached.
                "--vex-guest-chase=no",
                // A JVM reads the instruction counter when it catches a signal; by default it may be out of date.
                "--vex-iropt-register-updates=allregs-at-mem-access",
                "--I1=" + bytes(geometry.l1i()),
                "--D1=" + bytes(geometry.l1d()),
                "--LL=" + bytes(geometry.last()),
                "--cachegrind-out-file=" + result));
        arguments.addAll(command);
        try {
            Tool.run(arguments, directory, Map.of());
            return read(result);
        } finally {
            Files.delete(result);
        }
    }

    /** Without the suffixes that cachegrind does not know. */
    private static String bytes(CacheShape shape) {
        return shape.bytes() + "," + shape.ways() + "," + shape.lineBytes();
    }

    /** Reads the line of totals; the file names its columns. */
    private static Counts read(Path result) throws IOException {
        List<String> events = List.of();
        for (String line : Files.readAllLines(result)) {
            if (line.startsWith(EVENTS)) {
                events = List.of(line.substring(EVENTS.length()).split(" ", -1));
            } else if (line.startsWith(SUMMARY)) {
                long[] totals = Arrays.stream(
                                line.substring(SUMMARY.length()).trim().split(" ", -1))
                        .mapToLong(Long::parseLong)
                        .toArray();
                Map<Quantity, Long> values = new EnumMap<>(Quantity.class);
                values.put(Quantity.INSTRUCTIONS, sum(events, totals, "Ir"));
                values.put(Quantity.L1I_MISSES, sum(events, totals, "I1mr"));
                values.put(Quantity.L1D_MISSES, sum(events, totals, "D1mr", "D1mw"));
                values.put(Quantity.LAST_MISSES, sum(events, totals, "ILmr", "DLmr", "DLmw"));
                return new Counts(values, 0);
            }
        }
        throw new ToolException("cachegrind printed no totals file=" + result);
    }

    private static long sum(List<String> events, long[] totals, String... names) throws ToolException {
        long sum = 0;
        for (String name : names) {
            int column = events.indexOf(name);
            if (column < 0 || column >= totals.length) {
                throw new ToolException("cachegrind did not count event=" + name + " counted=" + events);
            }
            sum += totals[column];
        }
        return sum;
    }
}
