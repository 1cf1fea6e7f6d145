/**
 * The command {@code tpcc}: what to run, the child JVMs that run it, and the report. {@code TpccCommand} parses,
 * {@code TpccPlan} says which runs in which order, {@code TpccChildCommand} does one of them in a JVM of its own, and
 * {@code TpccReportText} prints.
 */
package dev.lockstep.bench.tpcc;
