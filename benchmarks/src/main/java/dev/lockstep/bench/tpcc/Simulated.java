package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.Emulation;
import java.nio.file.Path;

/**
 * By what runs are simulated.
 *
 * @param emulation the simulated processors
 * @param agent library of the JVMTI agent, which tells what a simulated JVM compiles
 */
record Simulated(Emulation emulation, Path agent) {}
