package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.stream.Stream;

/**
 * The simulated machine: the AthlonXP of the paper (table 1), and instruction caches of other geometries that observe
 * the same run. Immutable.
 */
final class FetchCaches {
    /** That of the AthlonXP, which drives the simulated machine's clock. */
    static final String DRIVING = "64K,2,64";

    private static final List<Integer> KILOBYTES = List.of(4, 8, 16, 32, 64);
    private static final List<Integer> LINES = List.of(16, 32, 128);
    private static final int LINE_BYTES = 64;
    private static final int LINES_WAYS = 8;

    /** As many as the simulator has. */
    private static final int OBSERVERS_MAX = 64;

    private final List<String> names;

    /**
     * Those of the paper's sweep (section 3.4.5), half and a quarter of its least capacity, since an operation of this
     * engine is smaller than the paper's, the Pentium III's, and others.
     *
     * @param further of this machine and of the user, like {@code 32K,8,64}
     * @throws IllegalArgumentException if one cannot be simulated, or there are too many
     */
    FetchCaches(List<String> further) {
        SequencedSet<String> all = new LinkedHashSet<>();
        all.add(CacheShape.parse(DRIVING).text());
        all.add(CacheShape.parse("16K,4,32").text());
        further.forEach(each -> all.add(CacheShape.parse(each).text()));
        for (int kilobytes : KILOBYTES) {
            for (String ways : List.of("direct", "2", "4", "8", "full")) {
                all.add(CacheShape.parse(kilobytes + "K," + ways + "," + LINE_BYTES)
                        .text());
            }
            for (int line : LINES) {
                all.add(CacheShape.parse(kilobytes + "K," + LINES_WAYS + "," + line)
                        .text());
            }
        }
        if (all.size() > OBSERVERS_MAX) {
            throw new IllegalArgumentException("--l1i takes fewer caches: at most " + OBSERVERS_MAX + " are observed");
        }
        names = List.copyOf(all);
    }

    /** Their geometries; the first is the machine's own, the others observe. */
    List<String> names() {
        return names;
    }

    /** The machine as the simulator reads it. */
    List<String> machine() {
        List<String> lines =
                new ArrayList<>(List.of("cores=1", "l1i=" + names.getFirst(), "l1d=64K,2,64", "l2=256K,16,64"));
        names.stream().skip(1).map(each -> "observe=l1i:" + each).forEach(lines::add);
        return lines;
    }

    /** The geometry of so many kilobytes, ways, and lines of 64 bytes. */
    static String of(int kilobytes, String ways) {
        return CacheShape.parse(kilobytes + "K," + ways + "," + LINE_BYTES).text();
    }

    /** The capacity of the sweep that is nearest to so many bytes, by their ratio. */
    static int nearestKilobytes(double bytes) {
        return Stream.of(KILOBYTES.toArray(Integer[]::new))
                .min((a, b) ->
                        Double.compare(Math.abs(Math.log(a * 1024 / bytes)), Math.abs(Math.log(b * 1024 / bytes))))
                .orElseThrow();
    }
}
