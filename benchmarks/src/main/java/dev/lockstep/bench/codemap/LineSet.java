package dev.lockstep.bench.codemap;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * A set of cache lines of 64 bytes, by the addresses of one run. In JSON it is a list of runs of lines, in ascending
 * order: for each, how many lines lie between the end of the run before (line 0 at first) and its beginning, and how
 * many it has. Immutable.
 */
public final class LineSet {
    /** Bytes of a line. */
    public static final int LINE_BYTES = 64;

    /** Number of the line of an address, as a shift. */
    static final int LINE_BYTES_LOG2 = 6;

    private final long[] lines;

    private LineSet(long[] sorted) {
        this.lines = sorted;
    }

    /** The set of these line numbers. */
    public static LineSet of(Collection<Long> numbers) {
        return new LineSet(
                new TreeSet<>(numbers).stream().mapToLong(Long::longValue).toArray());
    }

    /**
     * Reads what {@link #runs} made.
     *
     * @throws IllegalArgumentException if it is not such a list
     */
    @JsonCreator
    public static LineSet ofRuns(List<Long> runs) {
        List<Long> numbers = new ArrayList<>();
        long next = 0;
        for (int i = 0; i < runs.size(); i += 2) {
            if (i + 1 == runs.size() || runs.get(i) < 0 || runs.get(i + 1) < 1) {
                throw new IllegalArgumentException("no runs of lines: position=" + i);
            }
            next += runs.get(i);
            for (long end = next + runs.get(i + 1); next < end; next++) {
                numbers.add(next);
            }
        }
        return of(numbers);
    }

    /** What stands in JSON. */
    @JsonValue
    public List<Long> runs() {
        List<Long> runs = new ArrayList<>();
        long end = 0;
        int i = 0;
        while (i < lines.length) {
            int from = i;
            while (i + 1 < lines.length && lines[i + 1] == lines[i] + 1) {
                i++;
            }
            runs.add(lines[from] - end);
            runs.add((long) (i - from + 1));
            end = lines[i] + 1;
            i++;
        }
        return runs;
    }

    /** Bytes of all lines. */
    public long bytes() {
        return (long) lines.length * LINE_BYTES;
    }

    /** The lines of this set and another. */
    public LineSet union(LineSet other) {
        TreeSet<Long> all = new TreeSet<>();
        for (long line : lines) {
            all.add(line);
        }
        for (long line : other.lines) {
            all.add(line);
        }
        return of(all);
    }

    /** Bytes of the lines that are in both sets. */
    public long sharedBytes(LineSet other) {
        long shared = 0;
        int at = 0;
        for (long line : lines) {
            while (at < other.lines.length && other.lines[at] < line) {
                at++;
            }
            if (at < other.lines.length && other.lines[at] == line) {
                shared++;
            }
        }
        return shared * LINE_BYTES;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LineSet set && Arrays.equals(lines, set.lines);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(lines);
    }

    @Override
    public String toString() {
        return "LineSet[bytes=" + bytes() + "]";
    }
}
