/** The experiments of STEPS, sections 3.4 and 3.5, on this engine: one operation, executed by teams of many sizes. */
package dev.lockstep.bench.indexfetch;
