/**
 * Flame graphs whose frames show what a Java stack does not hold: the operation with its index, the team, and the kind
 * of transaction. {@code FlameProbe} watches the gate of the engine while async-profiler samples, {@code
 * FlameRecording} puts the two together, and async-profiler's converter draws.
 *
 * <p>How a sample gets its operation: async-profiler keeps, for each thread of the system, a counter of samples that
 * the thread itself can read, and takes events of the program into its recording. At each change of operation the probe
 * looks whether the counter has changed; only if it has does it add an event that says what the thread did until now.
 * Every sample that is older than the event, and newer than the one before, was taken then. So stacks are those of the
 * unchanged program, S-threads that change their carrier's work are told apart exactly, and nothing is written where
 * nothing was sampled. What cannot be told: a virtual thread that is no S-thread and waits in an operation for
 * something that is neither the engine's nor the scheduler's goes on without its name, until the operation ends, if
 * another one has used its carrier meanwhile.
 */
package dev.lockstep.bench.flame;
