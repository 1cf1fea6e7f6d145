package dev.lockstep.bench.prove;

/**
 * A point that did not go as it has to.
 *
 * @param point its number, from 0
 * @param what was found, with its values
 * @param replay the command that tries it again
 */
public record ProofFailure(long point, String what, String replay) {}
