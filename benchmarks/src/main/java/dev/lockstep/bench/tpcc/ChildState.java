package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import java.util.List;

/**
 * What a child tells of its JVM and of its run.
 *
 * @param time by which it waited and measured
 * @param compiled its compiled methods when the measured phase began
 * @param tally numbers of what its terminals counted; empty if the run was given up
 */
record ChildState(String time, List<CompiledMethod> compiled, List<Long> tally) {}
