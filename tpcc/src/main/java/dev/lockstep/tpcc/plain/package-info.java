/**
 * The ceiling: TPC-C on dense arrays addressed by key arithmetic, for one thread, without locks, log or isolation. It
 * shows what the workload itself costs in Java.
 */
package dev.lockstep.tpcc.plain;
