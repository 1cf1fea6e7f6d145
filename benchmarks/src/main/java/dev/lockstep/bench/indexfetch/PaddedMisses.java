package dev.lockstep.bench.indexfetch;

/**
 * What a team missed whose switches executed more code than their own.
 *
 * @param paddingBytes of straight code, as asked for
 * @param executedBytes of it that the code map found executed, distinct
 * @param round of the team, caches warm
 */
record PaddedMisses(int paddingBytes, long executedBytes, TeamMisses round) {}
