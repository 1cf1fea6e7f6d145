/**
 * The catalog: the tables and indexes of an open database, and the scheduler's lists of their operations. What creates
 * and removes them is in {@code instance}.
 */
package dev.lockstep.engine.catalog;
