/**
 * The state of a transaction, its undo, the table of all transactions, snapshots and the versions that they need.
 * Begin, commit and rollback are in {@code instance}.
 */
package dev.lockstep.engine.transaction;
