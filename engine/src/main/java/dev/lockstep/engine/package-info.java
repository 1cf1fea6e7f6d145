/**
 * The application's view of the storage engine: open a database, define tables and indexes, run transactions.
 */
package dev.lockstep.engine;
