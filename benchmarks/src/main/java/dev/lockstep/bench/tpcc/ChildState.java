package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import java.util.List;

/**
 * What a child tells of its JVM.
 *
 * @param time by which it waited and measured
 * @param compiled its compiled methods when the measured phase began
 */
record ChildState(String time, List<CompiledMethod> compiled) {}
