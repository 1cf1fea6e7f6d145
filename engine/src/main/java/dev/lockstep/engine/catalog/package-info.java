/**
 * The catalog: the tables and indexes of a database, and their creation and removal while it is in use.
 */
package dev.lockstep.engine.catalog;
