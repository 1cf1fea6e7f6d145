/**
 * Switch points in bytecode: the file that names them, the agent that inserts them while classes are loaded, and what
 * it refuses.
 */
package dev.lockstep.bench.switchpoints;
