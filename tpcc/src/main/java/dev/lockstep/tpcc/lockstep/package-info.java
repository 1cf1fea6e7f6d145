/** The engine {@code lockstep}: the statements of TPC-C on Lockstep's own storage engine. */
package dev.lockstep.tpcc.lockstep;
