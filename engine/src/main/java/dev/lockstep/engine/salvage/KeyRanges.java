package dev.lockstep.engine.salvage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Ranges of keys that do not overlap, compared as unsigned bytes, each with why it is there. Lower bounds are inclusive
 * and empty for minus infinity, upper ones exclusive and null for plus infinity. Not thread-safe.
 */
final class KeyRanges {
    /** A range. Immutable; its keys are not to be changed. */
    static final class Range {
        private final byte[] lower;
        private final byte[] upperOrNull;
        private final String why;

        Range(byte[] lower, byte[] upperOrNull, String why) {
            this.lower = lower;
            this.upperOrNull = upperOrNull;
            this.why = why;
        }

        byte[] lower() {
            return lower;
        }

        byte[] upperOrNull() {
            return upperOrNull;
        }

        String why() {
            return why;
        }

        boolean holds(byte[] key) {
            return Arrays.compareUnsigned(key, lower) >= 0 && isBelow(key, upperOrNull);
        }
    }

    private final TreeMap<byte[], Range> ranges = new TreeMap<>(Arrays::compareUnsigned);

    private static boolean isBelow(byte[] key, byte[] upperOrNull) {
        return upperOrNull == null || Arrays.compareUnsigned(key, upperOrNull) < 0;
    }

    /** Adds a range that overlaps none that is there; an empty one is passed over. */
    void add(byte[] lower, byte[] upperOrNull, String why) {
        if (isBelow(lower, upperOrNull)) {
            ranges.put(lower, new Range(lower, upperOrNull, why));
        }
    }

    boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** All ranges in order. */
    List<Range> list() {
        return new ArrayList<>(ranges.values());
    }

    /** Takes out all that lies between two keys; returns the parts taken out, in order. */
    List<Range> take(byte[] lower, byte[] upperOrNull) {
        List<Range> overlapping = new ArrayList<>();
        Map.Entry<byte[], Range> first = ranges.floorEntry(lower);
        byte[] from = first == null ? lower : first.getKey();
        for (Range range : ranges.tailMap(from, true).values()) {
            if (!isBelow(range.lower, upperOrNull)) {
                break;
            }
            if (isBelow(lower, range.upperOrNull)) {
                overlapping.add(range);
            }
        }
        List<Range> taken = new ArrayList<>();
        for (Range range : overlapping) {
            ranges.remove(range.lower);
            byte[] start = Arrays.compareUnsigned(range.lower, lower) >= 0 ? range.lower : lower;
            byte[] end = range.upperOrNull == null || !isBelow(range.upperOrNull, upperOrNull)
                    ? upperOrNull
                    : range.upperOrNull;
            taken.add(new Range(start, end, range.why));
            add(range.lower, start, range.why);
            if (end != null) {
                add(end, range.upperOrNull, range.why);
            }
        }
        return taken;
    }
}
