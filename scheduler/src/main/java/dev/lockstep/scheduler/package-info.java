/**
 * S-threads, the operation lists they stage on, the teams that form from those lists, and the carriers that run
 * them.
 */
package dev.lockstep.scheduler;
