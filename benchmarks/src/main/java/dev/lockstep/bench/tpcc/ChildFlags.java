package dev.lockstep.bench.tpcc;

import java.util.ArrayList;
import java.util.List;

/**
 * The options of a child JVM. All runs of one command that stand side by side get the same ones, but for the heap of
 * the engines that keep their rows in it.
 */
final class ChildFlags {
    /** The heap of Lockstep, whose pages lie outside it: the bound that RESULTS.md holds it to. */
    static final long LOCKSTEP_HEAP_BYTES = 512L << 20;

    /**
     * The heap of the others grows with their rows; more than this would only take memory from the rest of the machine.
     */
    static final long PEER_HEAP_BYTES_MAX = 12L << 30;

    /** Of the machine's memory; the rest is for the JVM beside the heap and the system. */
    private static final double PEER_HEAP_PART = 0.6;

    private ChildFlags() {}

    /** The heap of an engine that keeps its rows there. */
    static long peerHeapBytes(long memoryBytes) {
        long part = (long) (memoryBytes * PEER_HEAP_PART);
        return memoryBytes <= 0
                ? PEER_HEAP_BYTES_MAX
                : Math.max(LOCKSTEP_HEAP_BYTES, Math.min(part, PEER_HEAP_BYTES_MAX));
    }

    /** What all children of one command share, in the order in which it stands on their command lines. */
    static List<String> common(int cores) {
        return List.of(
                // One core: no collector does the same work in less time. More: the one made for throughput.
                cores == 1 ? "-XX:+UseSerialGC" : "-XX:+UseParallelGC",
                // Carriers as many as cores, and no more when one of them blocks.
                "-Djdk.virtualThreadScheduler.parallelism=" + cores,
                "-Djdk.virtualThreadScheduler.maxPoolSize=" + cores,
                // The counters' file is written by every safepoint.
                "-XX:-UsePerfData",
                "-Dfile.encoding=UTF-8",
                "-Dstdout.encoding=UTF-8",
                "-Dorg.jooq.no-logo=true",
                "-Dorg.jooq.no-tips=true",
                "-Dslf4j.internal.verbosity=ERROR",
                "-Dderby.stream.error.file=derby.log");
    }

    /** All options of one run. */
    static List<String> of(RunSpec spec, List<String> more) {
        List<String> flags = new ArrayList<>(common(spec.cores()));
        flags.add("-Xms" + spec.heapBytes());
        flags.add("-Xmx" + spec.heapBytes());
        if (spec.profileFile() != null) {
            // Stacks inside methods that the compiler inlined.
            flags.add("-XX:+UnlockDiagnosticVMOptions");
            flags.add("-XX:+DebugNonSafepoints");
            flags.add("-XX:+EnableDynamicAgentLoading");
        }
        flags.addAll(more);
        return flags;
    }
}
