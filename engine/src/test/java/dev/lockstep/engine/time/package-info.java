/** Engine and scheduler by a time that tests move on. */
package dev.lockstep.engine.time;
