/**
 * TPC-C on other databases over JDBC: statements rendered by jOOQ from the generated tables in each database's dialect,
 * prepared once per connection.
 */
package dev.lockstep.tpcc.jdbc;
