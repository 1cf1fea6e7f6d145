package dev.lockstep.bench.simulate;

import dev.lockstep.bench.report.MemorySize;
import java.util.List;
import java.util.Locale;

/**
 * The geometry of a simulated cache, written like {@code 32K,8,64}. Immutable.
 *
 * @param bytes size in bytes, a multiple of {@code ways * lineBytes}
 * @param ways associativity, 1 (direct) to the number of lines (full)
 * @param lineBytes size of a line in bytes, a power of two from {@link #LINE_BYTES_MIN} to {@link #LINE_BYTES_MAX}
 */
public record CacheShape(long bytes, long ways, int lineBytes) {
    /** The smallest line there is. */
    public static final int LINE_BYTES_MIN = 16;
    /** The largest line there is. */
    public static final int LINE_BYTES_MAX = 256;

    private static final String DIRECT = "direct";
    private static final String FULL = "full";
    private static final int PARTS = 3;
    private static final List<String> UNITS = List.of("", "K", "M", "G");
    private static final int UNIT_BYTES = 1024;

    /** Refuses what is no cache, with a sentence for the user. */
    public CacheShape {
        if (lineBytes < LINE_BYTES_MIN || lineBytes > LINE_BYTES_MAX || Integer.bitCount(lineBytes) != 1) {
            throw new IllegalArgumentException("a line of " + lineBytes + " bytes cannot be simulated: take a power of"
                    + " two from " + LINE_BYTES_MIN + " to " + LINE_BYTES_MAX);
        }
        if (ways < 1 || ways > bytes / lineBytes || bytes % (ways * lineBytes) != 0) {
            throw new IllegalArgumentException("a cache of " + bytes + " bytes cannot have " + ways
                    + " ways of lines of " + lineBytes + " bytes: its size has to be a multiple of both");
        }
    }

    /**
     * Reads {@code SIZE,WAYS,LINE}: a size like 32K, a number of ways, {@code direct} or {@code full}, and the bytes of
     * a line.
     *
     * @throws IllegalArgumentException if it is no such thing, with a sentence for the user
     */
    public static CacheShape parse(String text) {
        String[] parts = text.split(",", -1);
        if (parts.length != PARTS) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no geometry: write SIZE,WAYS,LINE, like 32K,8,64 or 64K,direct,32");
        }
        try {
            long bytes = MemorySize.parse(parts[0].trim()).bytes();
            int lineBytes = Integer.parseInt(parts[2].trim());
            return new CacheShape(bytes, ways(parts[1].trim(), bytes, lineBytes), lineBytes);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no geometry: ways and line are numbers, like in 32K,8,64", e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "': " + e.getMessage(), e);
        }
    }

    private static long ways(String text, long bytes, int lineBytes) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case DIRECT -> 1;
            case FULL -> lineBytes < 1 ? 0 : bytes / lineBytes;
            default -> Long.parseLong(text);
        };
    }

    /** As machine files have it. */
    public String text() {
        long number = bytes;
        int unit = 0;
        while (unit + 1 < UNITS.size() && number % UNIT_BYTES == 0) {
            number /= UNIT_BYTES;
            unit++;
        }
        return number + UNITS.get(unit) + "," + ways + "," + lineBytes;
    }
}
