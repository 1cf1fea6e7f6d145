/**
 * The address space of the process, where the JVM allows it: as one segment, or by the JVM's own accessors. Whoever
 * uses it answers for every address.
 */
package dev.lockstep.scheduler.memory;
