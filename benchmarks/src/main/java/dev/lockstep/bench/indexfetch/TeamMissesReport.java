package dev.lockstep.bench.indexfetch;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.List;

/**
 * Misses on the simulated machine.
 *
 * @param caches geometries of the instruction caches: the machine's own, then those that observe
 * @param dataCaches the same of the data caches
 * @param footprints the code that one operation of each kind executes
 * @param misses one for each kind, size and state of the caches
 */
record TeamMissesReport(
        List<String> caches,
        List<String> dataCaches,
        List<SimulatedFetch.Footprint> footprints,
        List<TeamMisses> misses) {
    private static final double PERCENT = 100;

    /** The size of a team that the paper's figures are about. */
    private static final int TEN = 10;

    TeamMissesReport {
        caches = List.copyOf(caches);
        dataCaches = List.copyOf(dataCaches);
        footprints = List.copyOf(footprints);
        misses = List.copyOf(misses);
    }

    /**
     * What section 3.4.1 says of one kind and cache.
     *
     * @param kind how the members of the team executed their operations
     * @param cache geometry
     * @param capacityOverFootprint of the original's usual code
     * @param first misses of the first operation in a cold cache ({@code m_p})
     * @param a part of these that an operation still has after another one, one after the other
     * @param beta part of these that each further member of the team has
     * @param furtherCold misses that each further member adds, up to the largest team of up to ten, caches cold
     * @param furtherWarm the same, caches warm
     * @param lowerPercent reduction at the largest team of up to ten that the formula gives for a warm cache
     * @param upperPercent the same for a cold one
     * @param measuredPercent what was counted at that size, caches warm
     * @param measuredColdPercent the same beside an original whose caches are cold before each operation
     * @param largestPercent what was counted at the largest size, caches warm
     */
    record Parameters(
            FetchKind kind,
            String cache,
            double capacityOverFootprint,
            double first,
            double a,
            double beta,
            double furtherCold,
            double furtherWarm,
            double lowerPercent,
            double upperPercent,
            double measuredPercent,
            double measuredColdPercent,
            double largestPercent) {}

    /** Of all kinds that are no originals, and all caches. */
    @JsonProperty("parameters")
    List<Parameters> parameters() {
        List<Parameters> all = new ArrayList<>();
        for (FetchKind kind : teams()) {
            for (int cache = 0; cache < caches.size(); cache++) {
                all.add(parameters(kind, cache));
            }
        }
        return all;
    }

    private Parameters parameters(FetchKind kind, int cache) {
        FetchKind original = kind.original();
        int n = ten();
        double first = first(original, cache);
        double a = l1i(original, n, false, cache) / n / first;
        double further = further(kind, true, cache);
        double beta = further / first;
        double part = (n - 1.0) / n * PERCENT;
        return new Parameters(
                kind,
                caches.get(cache),
                bytes(cache) / footprint(original).usualBytes(),
                first,
                a,
                beta,
                further,
                further(kind, false, cache),
                part * (1 - beta / a),
                part * (1 - beta),
                reduction(kind, n, cache),
                PERCENT * (1 - l1i(kind, n, true, cache) / (n * first)),
                reduction(kind, members().getLast(), cache));
    }

    private double further(FetchKind kind, boolean cold, int cache) {
        int n = ten();
        return n == 1 ? Double.NaN : (l1i(kind, n, cold, cache) - l1i(kind, 1, cold, cache)) / (n - 1);
    }

    /** Misses of one operation in a cold cache: {@code m_p}. */
    double first(FetchKind original, int cache) {
        return l1i(original, 1, true, cache);
    }

    /** Capacity of a cache. */
    double bytes(int cache) {
        return CacheShape.parse(caches.get(cache)).bytes();
    }

    /** Percent of the original's misses that the team does not have, caches warm. */
    double reduction(FetchKind kind, int members, int cache) {
        return PERCENT * (1 - l1i(kind, members, false, cache) / l1i(kind.original(), members, false, cache));
    }

    /** The largest team of up to ten. */
    int ten() {
        return members().stream().filter(each -> each <= TEN).reduce(1, Math::max);
    }

    /** All kinds. */
    List<FetchKind> kinds() {
        return footprints.stream().map(SimulatedFetch.Footprint::kind).toList();
    }

    /** Those that are no originals. */
    List<FetchKind> teams() {
        return kinds().stream().filter(kind -> kind != kind.original()).toList();
    }

    SimulatedFetch.Footprint footprint(FetchKind kind) {
        return footprints.stream()
                .filter(each -> each.kind() == kind)
                .findFirst()
                .orElseThrow();
    }

    /** Usual code of the operation itself, so without switches where that was run. */
    long operationBytes() {
        return footprint(footprints.getFirst().kind().original()).usualBytes();
    }

    /** Sizes in ascending order. */
    List<Integer> members() {
        return misses.stream().map(TeamMisses::members).distinct().sorted().toList();
    }

    TeamMisses of(FetchKind kind, int members, boolean cold) {
        return misses.stream()
                .filter(each -> each.kind() == kind && each.members() == members && each.cold() == cold)
                .findFirst()
                .orElseThrow();
    }

    /** Misses of a round in one of {@link #caches}. */
    double l1i(FetchKind kind, int members, boolean cold, int cache) {
        return l1i(of(kind, members, cold), cache);
    }

    /** Misses of this round in one of {@link #caches}. */
    static double l1i(TeamMisses round, int cache) {
        return cache == 0 ? round.l1i() : round.observed().get(cache - 1);
    }

    /** Misses of a round, caches warm, in one of {@link #dataCaches}. */
    double l1d(FetchKind kind, int members, int cache) {
        TeamMisses round = of(kind, members, false);
        return cache == 0 ? round.l1d() : round.observedData().get(cache - 1);
    }

    /**
     * All figures in tables and plots.
     *
     * @param times of the same kinds and sizes on this machine's processor, or null
     * @param padded teams with more code in each switch, of continuations; may be empty
     * @param retrained teams at points that were searched for one geometry each; may be empty
     */
    List<Section> sections(FetchTimesReport times, List<PaddedMisses> padded, List<RetrainedMisses> retrained) {
        return new TeamMissesSections(this, times, padded, retrained).all();
    }
}
