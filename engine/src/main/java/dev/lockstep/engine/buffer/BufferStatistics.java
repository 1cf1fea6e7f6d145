package dev.lockstep.engine.buffer;

/**
 * What the pool did since it was made. Each number is exact by itself; together they are a snapshot without a common
 * moment.
 *
 * @param accesses pages asked for, as counted by {@link PageAccessCounter}s
 * @param misses pages asked for that were in no frame
 * @param pageReads pages read from the file, at most {@code misses}, because threads share reads
 * @param evictions pages that left their frame for another page
 * @param pageWrites pages written to the file
 * @param batches batches that these were written in
 * @param frameWaits how often a thread had to wait until a frame was free
 */
public record BufferStatistics(
        long accesses, long misses, long pageReads, long evictions, long pageWrites, long batches, long frameWaits) {
    /** Returns accesses that found their page in a frame. */
    public long hits() {
        return Math.max(0, accesses - misses);
    }

    /** Returns the part of the accesses that were hits, 0 to 1; 1 if there were none. */
    public double hitRatio() {
        return accesses == 0 ? 1 : (double) hits() / accesses;
    }
}
