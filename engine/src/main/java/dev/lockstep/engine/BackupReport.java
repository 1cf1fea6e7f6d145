package dev.lockstep.engine;

/**
 * What {@link Database#backup} has copied.
 *
 * @param pages pages of the data file, those that were free included
 * @param logBytes bytes of the log, from where recovery of the copy begins to {@code endLsn}
 * @param endLsn where the log of the copy ends: every transaction whose commit lies before it is in the copy, no other
 */
public record BackupReport(long pages, long logBytes, long endLsn) {}
