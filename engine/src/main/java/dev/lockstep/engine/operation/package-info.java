/**
 * The database operations on single records as stage machines: fetch, insert, update, delete, and the step of a scan.
 * One node visit, one lock, one record access is one stage; the state between stages is the operation object. The same
 * stages serve a plain call and, later, a team or a batch. Nothing in here waits: a stage that would have to tells its
 * runner what for.
 */
package dev.lockstep.engine.operation;
