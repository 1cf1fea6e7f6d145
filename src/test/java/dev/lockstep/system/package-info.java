/** Tests of the whole system: crashes, isolation, differential tests, long runs. */
package dev.lockstep.system;
