package dev.lockstep.bench.prove;

import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.report.Origin;

/**
 * What {@code --json} writes.
 *
 * @param origin what was run, and where
 * @param machine the machine
 * @param points how many were asked for; 0 where the time said how long
 * @param seconds how long it was to go on; 0 where the number of points said it
 * @param ok whether all of it survived
 * @param report what came of it
 */
record ProofResult(Origin origin, Machine machine, long points, long seconds, boolean ok, ProofReport report) {}
