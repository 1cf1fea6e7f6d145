package dev.lockstep.bench.simulate;

import java.util.Set;

/**
 * Which threads run the workload, by the kinds that the plugin tells apart. Those of the engine and of the JVM work by
 * the machine's clock, whether they are simulated or not, and count for no transaction or operation.
 */
public final class WorkloadThreads {
    /** What the plugin calls them. */
    public static final Set<String> KINDS = Set.of("client", "carrier");

    private WorkloadThreads() {}
}
