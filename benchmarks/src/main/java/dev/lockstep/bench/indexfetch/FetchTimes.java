package dev.lockstep.bench.indexfetch;

import java.util.List;

/**
 * What one child JVM measured.
 *
 * @param kind how operations were executed
 * @param control whether it only repeats another one
 * @param paddingBytes to which C2 has compiled the straight code that each operation executes before its own
 * @param times one for each size of a team
 */
record FetchTimes(FetchKind kind, boolean control, long paddingBytes, List<Time> times) {
    FetchTimes {
        times = List.copyOf(times);
    }

    /**
     * One size.
     *
     * @param members of the team
     * @param operations that the time is the mean of
     * @param nanos of one operation, its part of begin and commit included, of its thread's time on the processor
     * @param switches at switch points, of one operation
     * @param left operations of every thousand whose member left its team
     */
    record Time(int members, long operations, double nanos, double switches, double left) {}

    /** The time of a size. */
    Time of(int members) {
        return times.stream()
                .filter(time -> time.members == members)
                .findFirst()
                .orElseThrow();
    }

    FetchTimes asControl() {
        return new FetchTimes(kind, true, paddingBytes, times);
    }
}
