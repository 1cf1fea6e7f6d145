/**
 * The database operations on records as stage machines: fetch, insert, update, delete, the step of a scan, undo and
 * purge. One node visit, one lock, one record access is one stage; the state between stages is the operation object.
 * The same stages serve a plain call, a team and a batch. Nothing in here waits: a stage that would have to tells its
 * runner what for.
 */
package dev.lockstep.engine.operation;
