/** Reads the files of a database that is not open, whole or damaged, and saves what is in them. */
package dev.lockstep.engine.salvage;
