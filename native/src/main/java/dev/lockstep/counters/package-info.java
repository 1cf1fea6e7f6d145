/**
 * Control of the processor from Java: pinning, cache geometry and, where the machine has them, hardware counters.
 */
package dev.lockstep.counters;
