package dev.lockstep.bench.disk;

import dev.lockstep.tpcc.adapter.TpccScale;

/**
 * One run of TPC-C with durable commits.
 *
 * @param scale of the database
 * @param terminals emulated users
 * @param seconds measured, where {@code transactions} is 0
 * @param transactions measured in place of seconds; half as many are before
 * @param seed of everything random
 */
record DiskSpec(TpccScale scale, int terminals, double seconds, long transactions, long seed) {}
