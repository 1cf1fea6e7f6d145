package dev.lockstep.bench.tpcc;

import java.util.List;

/**
 * Runs that share a JVM and take turns, as the parent hands them to a child.
 *
 * @param runs one for each configuration, as of the first repetition, each with a directory of its own
 * @param repeats how often each measured phase is repeated
 */
record SlicedRequest(List<RunRequest> runs, int repeats) {}
