/**
 * The TPC-C workload, written once: random rules, population, the inputs and the logic of the five transactions, and
 * the terminals that run them.
 */
package dev.lockstep.tpcc.workload;
