/** How long a database takes to open after its process was killed. */
package dev.lockstep.bench.restart;
