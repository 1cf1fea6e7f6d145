package dev.lockstep.bench.simulate;

/**
 * One simulated process. Immutable.
 *
 * @param command what it ran
 * @param result what was counted
 */
public record SimulatedProcess(String command, SimulationResult result) {}
