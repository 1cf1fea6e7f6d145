/** What proofs may do that no application can: open a database on a file system of their own, and make one. */
package dev.lockstep.engine.proof;
