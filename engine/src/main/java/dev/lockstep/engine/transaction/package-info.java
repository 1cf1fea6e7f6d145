/**
 * Transactions: begin, commit, rollback, savepoints, undo, and the four isolation levels.
 */
package dev.lockstep.engine.transaction;
