package dev.lockstep.bench.simulate;

/**
 * What is told of the code that a simulated JVM executed, in the phase that is reported. Immutable.
 *
 * @param missed which of it missed
 * @param continuations how often continuations were switched
 */
public record ExecutedCode(MissedCode missed, ContinuationSwitches continuations) {}
