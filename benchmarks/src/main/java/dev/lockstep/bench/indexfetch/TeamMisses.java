package dev.lockstep.bench.indexfetch;

import java.util.List;

/**
 * What one round of a team cost on the simulated machine: the mean of its rounds.
 *
 * @param kind how operations were executed
 * @param members of the team
 * @param cold whether its code was in no cache when the round began
 * @param instructions executed
 * @param cycles of the simulated machine
 * @param branches conditional and indirect ones, and returns
 * @param mispredicted of these
 * @param l1i misses of the machine's instruction cache
 * @param l1d misses of its data cache
 * @param l2 misses of its second level
 * @param observed misses of the observing instruction caches, in their order
 * @param observedData misses of the observing data caches, in their order
 */
record TeamMisses(
        FetchKind kind,
        int members,
        boolean cold,
        double instructions,
        double cycles,
        double branches,
        double mispredicted,
        double l1i,
        double l1d,
        double l2,
        List<Double> observed,
        List<Double> observedData) {
    TeamMisses {
        observed = List.copyOf(observed);
        observedData = List.copyOf(observedData);
    }
}
