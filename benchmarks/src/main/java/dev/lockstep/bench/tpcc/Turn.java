package dev.lockstep.bench.tpcc;

/**
 * One turn of a configuration that shares a JVM with others.
 *
 * @param committed transactions of all types
 * @param measuredNanos how long it was
 * @param cpuNanos processor time of the process; negative where the JVM does not tell
 */
public record Turn(long committed, long measuredNanos, long cpuNanos) {}
