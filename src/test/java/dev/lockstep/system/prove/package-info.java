/**
 * The proofs of {@code ./lockstep prove}: a short version of each, with a fixed seed, in the normal build, and the long
 * one with the tag {@code nightly}, which {@code mvn -B verify -Pnightly} runs.
 */
package dev.lockstep.system.prove;
