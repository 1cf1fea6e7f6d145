package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.flame.FlameProfiler;
import java.util.ArrayList;
import java.util.List;

/**
 * The options of a child JVM. All runs of one command that stand side by side get the same ones, but for the heap and
 * its collector: engines that keep their rows in the heap get the ones that serve them best.
 */
final class ChildFlags {
    /** The heap of Lockstep, whose pages lie outside it: the bound that RESULTS.md holds it to. */
    static final long LOCKSTEP_HEAP_BYTES = 512L << 20;

    /**
     * The heap of the others grows with their rows; more than this would only take memory from the rest of the machine.
     */
    static final long PEER_HEAP_BYTES_MAX = 12L << 30;

    /**
     * Of a heap with rows: the young generation, so large that a run of half a minute ends before it is full. Promoting
     * the rows of new orders costs more than a second a gigabyte. A third is left for the rows that were promoted.
     */
    private static final double PEER_YOUNG_PART = 2.0 / 3;

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

    /** What all children of one command share, which may have different numbers of cores. */
    static List<String> shared(List<Integer> cores) {
        List<String> flags = new ArrayList<>(common(cores.getFirst()));
        cores.forEach(count -> flags.retainAll(common(count)));
        return List.copyOf(flags);
    }

    /** What all children with so many cores share, in the order in which it stands on their command lines. */
    static List<String> common(int cores) {
        List<String> flags = new ArrayList<>(List.of(
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
                "-Dderby.stream.error.file=derby.log"));
        if (System.getProperty("os.name").startsWith("Linux")) {
            // Heaps get the large pages that the environment asks for under Lockstep's pool; see TpccExperiment.
            flags.add("-XX:+UseTransparentHugePages");
        }
        return List.copyOf(flags);
    }

    /** The heap of an engine and what collects it. */
    private static List<String> heap(RunSpec spec) {
        List<String> flags = new ArrayList<>(List.of("-Xms" + spec.heapBytes(), "-Xmx" + spec.heapBytes()));
        if (spec.engineName() == EngineName.LOCKSTEP) {
            // The heap is nearly empty. One core: the collector with the cheapest barriers.
            flags.add(spec.cores() == 1 ? "-XX:+UseSerialGC" : "-XX:+UseParallelGC");
        } else {
            // Even on one core it copies rows four times as fast as the serial collector.
            flags.add("-XX:+UseParallelGC");
            flags.add("-Xmn" + (long) (spec.heapBytes() * PEER_YOUNG_PART));
            // Touched for the first time before anything is measured: a third of the throughput of ordered maps.
            flags.add("-XX:+AlwaysPreTouch");
        }
        return flags;
    }

    /** All options of one run. */
    static List<String> of(RunSpec spec, List<String> more) {
        List<String> flags = new ArrayList<>(common(spec.cores()));
        flags.addAll(heap(spec));
        if (spec.profiled()) {
            flags.addAll(FlameProfiler.jvmOptions());
        }
        flags.addAll(more);
        return flags;
    }
}
