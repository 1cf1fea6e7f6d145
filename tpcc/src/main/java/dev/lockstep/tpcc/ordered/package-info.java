/**
 * TPC-C as an application would write it by hand in an hour: an object per row in the ordered and hashed maps of
 * {@code java.util}, for one thread, without locks, log or isolation.
 */
package dev.lockstep.tpcc.ordered;
