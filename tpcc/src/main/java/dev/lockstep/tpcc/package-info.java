/**
 * TPC-C: its schema, population, five transactions and consistency conditions, written against one narrow adapter.
 */
package dev.lockstep.tpcc;
