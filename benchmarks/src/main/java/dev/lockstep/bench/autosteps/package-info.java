/**
 * autoSTEPS: from the instructions that one operation executes to the places where the members of a team should take
 * turns, so that none of them evicts what the others are about to reuse (Harizopoulos and Ailamaki, STEPS, section 5).
 */
package dev.lockstep.bench.autosteps;
