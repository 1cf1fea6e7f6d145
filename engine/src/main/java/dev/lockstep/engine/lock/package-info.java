/**
 * Hierarchical two-phase locks with deadlock detection and a timeout per transaction.
 */
package dev.lockstep.engine.lock;
