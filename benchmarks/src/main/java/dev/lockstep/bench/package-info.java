/**
 * The command line and the experiments whose results stand in RESULTS.md.
 */
package dev.lockstep.bench;
