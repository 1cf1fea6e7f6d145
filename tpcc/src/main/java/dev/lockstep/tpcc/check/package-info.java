/** The twelve consistency conditions of clause 3.3.2, and the comparison of a database with the driver's own tally. */
package dev.lockstep.tpcc.check;
