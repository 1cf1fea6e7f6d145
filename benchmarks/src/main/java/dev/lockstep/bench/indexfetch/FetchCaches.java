package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/**
 * The simulated machine: the AthlonXP of the paper (table 1), and instruction caches of other geometries that observe
 * the same run. Immutable.
 */
final class FetchCaches {
    /** That of the AthlonXP, which drives the simulated machine's clock. */
    static final String DRIVING = "64K,2,64";

    /** That of the Pentium III (table 1). */
    static final String PENTIUM_III = "16K,4,32";

    /** Those of the paper's sweep (section 3.4.5). */
    private static final List<Integer> KILOBYTES = List.of(16, 32, 64);

    /** Half and a quarter of the least of these, since an operation of this engine is smaller than the paper's. */
    private static final List<Integer> KILOBYTES_FURTHER = List.of(4, 8);

    private static final List<String> WAYS = List.of("direct", "2", "4", "8", "full");
    private static final List<Integer> LINES = List.of(16, 32, 64, 128);
    private static final int LINE_BYTES = 64;
    private static final String LINES_WAYS = "8";

    /** As many as the simulator has. */
    private static final int OBSERVERS_MAX = 128;

    private final List<String> names;
    private final List<String> dataNames;

    /**
     * Those of the paper's sweep, of every line with every associativity; smaller ones with lines of 64 bytes and every
     * associativity, or eight ways and every line; and others.
     *
     * @param further instruction caches of this machine and of the user, like {@code 32K,8,64}
     * @param furtherData the same of data caches
     * @throws IllegalArgumentException if one cannot be simulated, or there are too many
     */
    FetchCaches(List<String> further, List<String> furtherData) {
        SequencedSet<String> all = new LinkedHashSet<>(List.of(DRIVING, PENTIUM_III));
        further.forEach(each -> all.add(CacheShape.parse(each).text()));
        for (int line : LINES) {
            for (String ways : WAYS) {
                KILOBYTES.forEach(kilobytes -> all.add(text(kilobytes, ways, line)));
                if (line == LINE_BYTES || ways.equals(LINES_WAYS)) {
                    KILOBYTES_FURTHER.forEach(kilobytes -> all.add(text(kilobytes, ways, line)));
                }
            }
        }
        names = List.copyOf(all);
        SequencedSet<String> allData = new LinkedHashSet<>(List.of(DRIVING, PENTIUM_III));
        furtherData.forEach(each -> allData.add(CacheShape.parse(each).text()));
        dataNames = List.copyOf(allData);
        if (names.size() - 1 + dataNames.size() - 1 > OBSERVERS_MAX) {
            throw new IllegalArgumentException("fewer caches: at most " + OBSERVERS_MAX + " are observed");
        }
    }

    private static String text(int kilobytes, String ways, int line) {
        return CacheShape.parse(kilobytes + "K," + ways + "," + line).text();
    }

    /** Geometries of instruction caches; the first is the machine's own, the others observe. */
    List<String> names() {
        return names;
    }

    /** Geometries of data caches; the first is the machine's own, the others observe. */
    List<String> dataNames() {
        return dataNames;
    }

    /** The machine as the simulator reads it; those that observe are in order, data caches last. */
    List<String> machine() {
        List<String> lines = new ArrayList<>(
                List.of("cores=1", "l1i=" + names.getFirst(), "l1d=" + dataNames.getFirst(), "l2=256K,16,64"));
        names.stream().skip(1).map(each -> "observe=l1i:" + each).forEach(lines::add);
        dataNames.stream().skip(1).map(each -> "observe=l1d:" + each).forEach(lines::add);
        return lines;
    }

    /**
     * The one of two ways and lines of 64 bytes whose capacity is nearest to so many bytes, by their ratio.
     *
     * @param caches that are there, at least one of them of that kind
     */
    static String nearest(List<String> caches, double bytes) {
        return caches.stream()
                .map(CacheShape::parse)
                .filter(each -> each.ways() == 2 && each.lineBytes() == LINE_BYTES)
                .min((a, b) -> Double.compare(distance(a, bytes), distance(b, bytes)))
                .orElseThrow()
                .text();
    }

    private static double distance(CacheShape cache, double bytes) {
        return Math.abs(Math.log(cache.bytes() / bytes));
    }
}
