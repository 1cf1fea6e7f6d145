/** Tests of the whole system: crashes, isolation, packaging, long runs, and the rules of style. */
package dev.lockstep.system;
