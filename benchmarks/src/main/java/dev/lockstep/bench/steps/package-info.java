/** The experiment of STEPS, section 4.3, on this engine: whole transactions with teams and batches beside neither. */
package dev.lockstep.bench.steps;
