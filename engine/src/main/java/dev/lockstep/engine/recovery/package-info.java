/**
 * Checkpoints, and the analysis, redo and undo passes (ARIES) that bring a database back after a crash.
 */
package dev.lockstep.engine.recovery;
