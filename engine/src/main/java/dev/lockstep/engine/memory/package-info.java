/** Memory outside the heap, checked or trusted. */
package dev.lockstep.engine.memory;
