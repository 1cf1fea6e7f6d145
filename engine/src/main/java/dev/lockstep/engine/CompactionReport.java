package dev.lockstep.engine;

/**
 * What {@link Database#compact} has done.
 *
 * @param pagesBefore pages of the data file when it began
 * @param pagesAfter pages of the data file when it ended; less only if its end was cut off
 * @param pagesInUse pages in use when it ended
 * @param pagesMoved pages that were moved towards the beginning of the file
 * @param heldByTransaction whether the end of the file was left because a transaction that runs since before might,
 *     after a crash, have to be undone from log records that name pages there. A later call cuts it off
 */
public record CompactionReport(
        int pagesBefore, int pagesAfter, int pagesInUse, long pagesMoved, boolean heldByTransaction) {}
