/**
 * The buffer pool: a fixed number of frames outside the heap, their eviction and their write-back.
 */
package dev.lockstep.engine.buffer;
