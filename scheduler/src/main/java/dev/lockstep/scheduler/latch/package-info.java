/**
 * Versioned latches with optimistic, shared and exclusive modes, each padded to its own cache lines.
 */
package dev.lockstep.scheduler.latch;
