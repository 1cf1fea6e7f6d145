package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.flame.FlameRun;
import dev.lockstep.bench.report.Spelling;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes times, in a JVM of its own. They are of the one thread that executes the operations, told by the system, so
 * that neither compilers nor other processes on the same processor are in them.
 */
final class FetchChild {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Of the time that a size is measured for: as long as that its number of transactions is looked for. */
    private static final double SEARCH_PART = 0.25;

    private static final double SECONDS_BETWEEN_LOOKS = 0.1;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final FetchSpec spec;

    FetchChild(FetchSpec spec) {
        this.spec = spec;
    }

    /** Takes the times of all sizes, after all have been warmed up in turn. */
    FetchTimes run(Path directory) throws InterruptedException {
        try (FetchRounds rounds = new FetchRounds(spec, directory)) {
            warmUp(rounds, spec.warmUpSeconds());
            CompiledPadding padding = CompiledPadding.complete(
                    spec.paddingBytes(), directory, () -> warmUp(rounds, SECONDS_BETWEEN_LOOKS));
            List<FetchTimes.Time> times = new ArrayList<>();
            try (FlameRun _ = FlameRun.start("indexfetch " + Spelling.of(spec.kind()))) {
                for (int i = 0; i < spec.members().size(); i++) {
                    times.add(time(rounds, spec.members().get(i)));
                }
            }
            return new FetchTimes(spec.kind(), false, padding.bytes(), times);
        }
    }

    private void warmUp(FetchRounds rounds, double seconds) throws InterruptedException {
        double left = seconds * NANOS_PER_SECOND;
        do {
            for (int i = 0; i < spec.members().size(); i++) {
                left -= nanos(rounds, spec.members().get(i), 1);
            }
        } while (left > 0);
    }

    private FetchTimes.Time time(FetchRounds rounds, int members) throws InterruptedException {
        long transactions = spec.transactions() > 0 ? spec.transactions() : transactionsOf(rounds, members);
        rounds.resetSwitches();
        long nanos = nanos(rounds, members, transactions);
        long operations = transactions * members * spec.operationsEach();
        return new FetchTimes.Time(
                members,
                operations,
                (double) nanos / operations,
                (double) rounds.switches() / operations,
                1e3 * rounds.left() / operations);
    }

    /** As many as take the seconds that are wanted. */
    private long transactionsOf(FetchRounds rounds, int members) throws InterruptedException {
        double wantedNanos = spec.seconds() * NANOS_PER_SECOND;
        long transactions = 1;
        long nanos = nanos(rounds, members, transactions);
        while (nanos < wantedNanos * SEARCH_PART) {
            transactions *= 2;
            nanos = nanos(rounds, members, transactions);
        }
        return Math.max(1, Math.round(transactions * wantedNanos / nanos));
    }

    private static long nanos(FetchRounds rounds, int members, long transactions) throws InterruptedException {
        long worker = rounds.worker().threadId();
        long start = THREADS.getThreadCpuTime(worker);
        rounds.run(members, transactions, RoundListener.NONE);
        return THREADS.getThreadCpuTime(worker) - start;
    }
}
