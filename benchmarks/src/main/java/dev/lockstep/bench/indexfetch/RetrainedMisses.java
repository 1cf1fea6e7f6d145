package dev.lockstep.bench.indexfetch;

/**
 * What a team missed whose switch points were searched anew, for one geometry of the instruction cache.
 *
 * @param cache that geometry
 * @param points in the bytecode
 * @param round of the team, caches warm
 */
record RetrainedMisses(String cache, int points, TeamMisses round) {}
