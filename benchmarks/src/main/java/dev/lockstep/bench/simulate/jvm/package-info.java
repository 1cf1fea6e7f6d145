/**
 * The JVM on a simulated processor: the same flags on both sides, the JIT's steady state, and a time that goes on with
 * simulated cycles.
 */
package dev.lockstep.bench.simulate.jvm;
