/**
 * Child JVMs on chosen processors, and the description of the machine and JVM that a result carries. Knows nothing of
 * any experiment.
 */
package dev.lockstep.bench.process;
