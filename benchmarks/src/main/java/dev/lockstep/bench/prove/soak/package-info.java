/** TPC-C with everything beside it for long, and what the process holds meanwhile. */
package dev.lockstep.bench.prove.soak;
