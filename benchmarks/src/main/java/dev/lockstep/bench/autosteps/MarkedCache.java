package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.Arrays;

/**
 * An instruction cache with least-recently-used replacement in which each block carries the number of the code segment
 * that used it last (STEPS, 5.2). Blocks of a set lie in {@code lines} from the most to the least recently used one;
 * {@code segments} runs along. Not thread-safe.
 */
final class MarkedCache {
    /** The segment of what was not evicted: an access that hit, or that found room. */
    static final int NOTHING_EVICTED = -1;

    private static final long EMPTY = -1;

    /** More lines than caches have, and few enough for this JVM: 2 MiB of 16 bytes, or of 64 those of 8 MiB. */
    static final int LINES_MAX = 1 << 17;

    private final int lineShift;
    private final int ways;
    private final int sets;
    private final long[] lines;
    private final int[] segments;
    private int evictedSegment = NOTHING_EVICTED;

    MarkedCache(CacheShape shape) {
        lineShift = Integer.numberOfTrailingZeros(shape.lineBytes());
        ways = Math.toIntExact(shape.ways());
        sets = Math.toIntExact(shape.bytes() / shape.lineBytes() / shape.ways());
        lines = new long[sets * ways];
        segments = new int[sets * ways];
        Arrays.fill(lines, EMPTY);
    }

    private MarkedCache(MarkedCache other) {
        lineShift = other.lineShift;
        ways = other.ways;
        sets = other.sets;
        lines = other.lines.clone();
        segments = other.segments.clone();
    }

    MarkedCache copy() {
        return new MarkedCache(this);
    }

    /** The line that a byte lies in. */
    long lineOf(long address) {
        return address >>> lineShift;
    }

    /**
     * Uses a line in a segment.
     *
     * @return whether it was there
     */
    boolean access(long line, int segment) {
        int first = (int) Long.remainderUnsigned(line, sets) * ways;
        int at = first;
        int last = first + ways - 1;
        while (at < last && lines[at] != line) {
            at++;
        }
        boolean hit = lines[at] == line;
        evictedSegment = hit || lines[at] == EMPTY ? NOTHING_EVICTED : segments[at];
        System.arraycopy(lines, first, lines, first + 1, at - first);
        System.arraycopy(segments, first, segments, first + 1, at - first);
        lines[first] = line;
        segments[first] = segment;
        return hit;
    }

    /** The segment that the block belonged to which the last access has evicted, or {@link #NOTHING_EVICTED}. */
    int evictedSegment() {
        return evictedSegment;
    }
}
