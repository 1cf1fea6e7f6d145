/**
 * Files of a database directory and the threads that read, write and force them, so that no carrier blocks.
 */
package dev.lockstep.engine.file;
