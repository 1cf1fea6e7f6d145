package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.bench.simulate.jvm.SteadyState;

/**
 * How far to believe the figures of a simulated run.
 *
 * @param label of the run
 * @param repeat number of the repetition, from 1
 * @param time by which the simulated run waited, sampled and measured
 * @param realSeconds from the start of the simulated JVM to its measured phase, on the machine's clock
 * @param machine the same run on the machine's processor, with the same flags: the control
 * @param flags of both JVMs
 * @param steady whether the simulated JVM was in the steady state of the control
 */
record SimulationCheck(
        String label,
        int repeat,
        String time,
        double realSeconds,
        RunReport machine,
        SameProcessor flags,
        SteadyState steady) {}
