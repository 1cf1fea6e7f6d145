package dev.lockstep.bench.indexfetch;

/**
 * Times on a table of one size.
 *
 * @param rows of the table
 * @param bytes of their values
 * @param times of all kinds
 */
record SizedTimes(long rows, long bytes, FetchTimesReport times) {
    /** Of a table with so many rows. */
    static SizedTimes of(long rows, FetchTimesReport times) {
        return new SizedTimes(rows, rows * FetchTable.ROW_BYTES, times);
    }
}
