/** What proofs may do that no application can: open a database on a file system of their own. */
package dev.lockstep.engine.proof;
