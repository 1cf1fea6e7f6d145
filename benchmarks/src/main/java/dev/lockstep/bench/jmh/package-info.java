/**
 * Benchmarks of single parts, run by {@code ./lockstep jmh}: each with three forks, error bars, and a result that
 * depends on the work done. A test runs every one of them once with tiny parameters.
 */
package dev.lockstep.bench.jmh;
