package dev.lockstep.bench.jmh;

/** The seed of everything random in benchmarks: the same seed makes the same rows and keys. */
public final class BenchmarkSeed {
    /** System property that sets it, in the JVM that runs the benchmark. */
    public static final String PROPERTY = "lockstep.bench.seed";

    private static final long DEFAULT = 1;

    private BenchmarkSeed() {}

    /** The seed of this JVM. */
    static long get() {
        return Long.getLong(PROPERTY, DEFAULT);
    }
}
