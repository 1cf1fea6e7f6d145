/**
 * The control of a simulated Java program that is not ours: the same program on the machine's processor, sampled while
 * it marks its measured phase. An agent in both JVMs hears of the phase.
 */
package dev.lockstep.bench.simulate.control;
