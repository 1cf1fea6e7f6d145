/**
 * The narrow interface between the TPC-C workload and an engine: one method per statement of the five transactions,
 * rows of primitives and reusable {@link dev.lockstep.tpcc.adapter.Text} buffers, a side for loading and a side for
 * reading whole tables back. Money is in cents, rates are in ten-thousandths, times are milliseconds since the epoch.
 */
package dev.lockstep.tpcc.adapter;
