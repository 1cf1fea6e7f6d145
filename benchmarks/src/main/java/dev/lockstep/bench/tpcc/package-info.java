/**
 * The command {@code tpcc}: what to run, the child JVMs that run it, and the report. {@code TpccCommand} parses,
 * {@code TpccPlan} says which runs in which order, {@code TpccChildCommand} does one of them in a JVM of its own,
 * {@code TpccSections} makes the report, and {@code ReportText} prints it.
 */
package dev.lockstep.bench.tpcc;
