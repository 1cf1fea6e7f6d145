package dev.lockstep.bench.disk;

/**
 * TPC-C with durable commits, beside what the disk can do.
 *
 * @param terminals emulated users
 * @param commits of the measured phase
 * @param commitsPerSecond commits that were answered when they were on disk, and of transactions that change no row
 * @param forcesPerSecond forces of the log
 * @param commitsPerForce commits that shared one, of transactions that change rows
 */
record DiskRun(int terminals, long commits, double commitsPerSecond, double forcesPerSecond, double commitsPerForce) {}
