/** The example of the README, seen from outside the engine's own package. */
package dev.lockstep.engine.readme;
