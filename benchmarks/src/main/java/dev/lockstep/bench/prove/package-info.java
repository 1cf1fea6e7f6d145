/**
 * The proofs of {@code ./lockstep prove}: what kills, floods, damages and wears out a database, and looks whether it
 * keeps its word. Each is a {@link dev.lockstep.bench.prove.Proof}; the command, the short tests of the normal build
 * and the long ones of the profile {@code nightly} run the same classes.
 */
package dev.lockstep.bench.prove;
