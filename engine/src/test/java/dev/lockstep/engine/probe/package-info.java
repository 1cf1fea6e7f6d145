/** What an installed probe is told of operations. */
package dev.lockstep.engine.probe;
