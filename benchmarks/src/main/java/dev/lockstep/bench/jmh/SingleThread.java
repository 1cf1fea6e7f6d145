package dev.lockstep.bench.jmh;

import org.openjdk.jmh.infra.BenchmarkParams;

/** Of benchmarks whose state belongs to one thread, as sessions and records do. */
final class SingleThread {
    private SingleThread() {}

    /**
     * Refuses to measure what several threads would make of such a state.
     *
     * @throws IllegalStateException if there are several
     */
    static void require(BenchmarkParams benchmark) {
        if (benchmark.getThreads() > 1) {
            throw new IllegalStateException("the state of this benchmark belongs to one thread: benchmark="
                    + benchmark.getBenchmark() + " threads=" + benchmark.getThreads() + "; remedy: leave out -t");
        }
    }
}
