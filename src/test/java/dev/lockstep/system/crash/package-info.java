/** Recovery of databases whose process was killed under load. */
package dev.lockstep.system.crash;
