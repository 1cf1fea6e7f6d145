package dev.lockstep.engine.log;

/**
 * What a log has done since it was opened.
 *
 * @param appendedBytes bytes of the stream, seals and padding included
 * @param recordCount records appended
 * @param commitCount commit records appended
 * @param writtenBytes bytes written to segments
 * @param batchCount batches sealed and written
 * @param forceCount forces of a segment
 * @param segmentCount segments begun
 * @param recycledSegmentCount segments begun in the file of an old one
 */
public record LogStatistics(
        long appendedBytes,
        long recordCount,
        long commitCount,
        long writtenBytes,
        long batchCount,
        long forceCount,
        long segmentCount,
        long recycledSegmentCount) {
    /** Of a database without a log. */
    public static final LogStatistics NONE = new LogStatistics(0, 0, 0, 0, 0, 0, 0, 0);

    /** Commits that shared one force on average; 0 before the first force. */
    public double commitsPerForce() {
        return forceCount == 0 ? 0 : (double) commitCount / forceCount;
    }
}
