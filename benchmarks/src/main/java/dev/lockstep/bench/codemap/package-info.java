/**
 * Which code an operation executes: the code map, and what it is made of, the executed blocks that the simulator's
 * plugin has counted and the log of compiled code that the JVMTI agent has kept.
 */
package dev.lockstep.bench.codemap;
