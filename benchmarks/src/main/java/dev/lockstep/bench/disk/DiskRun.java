package dev.lockstep.bench.disk;

/**
 * TPC-C with durable commits, beside what the disk can do.
 *
 * @param terminals emulated users
 * @param commitsPerSecond commits that were answered when they were on disk
 * @param forcesPerSecond forces of the log
 * @param commitsPerForce commits that shared one
 */
record DiskRun(int terminals, double commitsPerSecond, double forcesPerSecond, double commitsPerForce) {}
