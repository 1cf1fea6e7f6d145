/**
 * The write-ahead log: its records, their layout, the log buffer and group commit.
 */
package dev.lockstep.engine.log;
