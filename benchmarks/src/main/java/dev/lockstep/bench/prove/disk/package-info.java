/** A simulated disk that loses, tears and misdirects what was written to it, and the workloads that are run on it. */
package dev.lockstep.bench.prove.disk;
