/**
 * Isolation proved: histories of concurrent transactions, searched for what their isolation level forbids, and
 * deadlocks, with the time that each took to be found.
 */
package dev.lockstep.bench.prove.isolation;
