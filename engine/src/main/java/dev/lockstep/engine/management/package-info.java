/**
 * A database seen over JMX. Nothing else of the engine needs the module {@code java.management}; an application that
 * uses this package has it in its module graph.
 */
package dev.lockstep.engine.management;
