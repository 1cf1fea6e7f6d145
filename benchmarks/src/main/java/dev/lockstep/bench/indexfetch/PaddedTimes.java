package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.Spread;

/**
 * Times of an operation that executes more code than its own.
 *
 * @param paddingBytes of straight code beside its own, as asked for
 * @param pieces behind each of which members of a team take turns
 * @param compiledBytes to which C2 has compiled that code, all of which each operation executes; median of all JVMs
 * @param times of all kinds
 */
record PaddedTimes(int paddingBytes, int pieces, long compiledBytes, FetchTimesReport times) {
    /** Of what these times say of themselves. */
    static PaddedTimes of(int paddingBytes, FetchTimesReport times) {
        double compiledBytes = Spread.of(times.runs().stream().mapToDouble(each -> (double) each.paddingBytes()))
                .median();
        return new PaddedTimes(paddingBytes, PaddingCode.pieces(paddingBytes), Math.round(compiledBytes), times);
    }
}
