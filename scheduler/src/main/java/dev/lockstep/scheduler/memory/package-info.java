/** The address space of the process, where the JVM allows it. */
package dev.lockstep.scheduler.memory;
