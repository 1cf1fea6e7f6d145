/**
 * A running database: opening with recovery, its tables, the work of a session, closing. The public classes of {@code
 * dev.lockstep.engine} are thin handles on the classes in here.
 */
package dev.lockstep.engine.instance;
