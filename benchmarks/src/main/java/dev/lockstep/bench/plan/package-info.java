/**
 * Operators of plans that are put together by hand and call one another row by row, as in Volcano (Graefe, 1994), each
 * told to the probe: what benchmarks and the simulator need to show what an operator costs.
 */
package dev.lockstep.bench.plan;
