package dev.lockstep.engine.log;

import dev.lockstep.engine.file.FileHeaderLayout;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * A file of the log, a segment: it holds the stream from its start LSN on.
 *
 * <pre>
 *  0             128              4096
 *  +-------------+----------------+-------------------+------+-------------------+------+-- - - --+
 *  | file header |     zeros      | records           | SEAL | records           | SEAL | stale   |
 *  +-------------+----------------+-------------------+------+-------------------+------+-- - - --+
 *                                 startLsn = parameter of the file header
 * </pre>
 *
 * <ul>
 *   <li>The byte of position {@code lsn} lies at {@link #HEADER_BYTES} {@code + lsn - startLsn}.
 *   <li>Every segment starts where a batch starts. Records and batches do not cross its end: a PAD fills it up to the
 *       closing seal, which ends with the segment.
 *   <li>The segment before starts at a lower LSN and ends where this one starts: at its full length, or earlier if the
 *       database was opened anew there.
 *   <li>What lies behind the last batch is stale: zeros, or what the file held when it was another segment. A stale
 *       seal is recognised by its LSN, because a file only ever becomes a segment of higher LSNs.
 *   <li>The name is {@code log-} and the start LSN in 16 hexadecimal digits, so that names sort like LSNs.
 * </ul>
 */
public final class LogSegmentLayout {
    /** Where the stream begins in the file: a block of the file system, so that headers and records share none. */
    public static final int HEADER_BYTES = 4096;

    /** What a file is called while it becomes a segment; it holds nothing then. */
    public static final String SPARE_NAME = "log-spare.lockstep";

    private static final String PREFIX = "log-";
    private static final String SUFFIX = ".lockstep";
    private static final int LSN_DIGITS = 16;
    private static final int HEXADECIMAL = 16;

    static {
        if (HEADER_BYTES < FileHeaderLayout.HEADER_BYTES) {
            throw new AssertionError("the file header does not fit in front of the records");
        }
    }

    private LogSegmentLayout() {}

    /** The path of the segment that starts at {@code startLsn}. */
    public static Path path(Path directory, long startLsn) {
        String digits = Long.toHexString(startLsn);
        return directory.resolve(PREFIX + "0".repeat(LSN_DIGITS - digits.length()) + digits + SUFFIX);
    }

    /** The start LSN that the name of a file says, empty if the file is no segment. */
    public static OptionalLong startLsn(Path path) {
        String name = String.valueOf(path.getFileName());
        if (name.length() != PREFIX.length() + LSN_DIGITS + SUFFIX.length()
                || !name.startsWith(PREFIX)
                || !name.endsWith(SUFFIX)) {
            return OptionalLong.empty();
        }
        int digitsEnd = PREFIX.length() + LSN_DIGITS;
        for (int i = PREFIX.length(); i < digitsEnd; i++) {
            if (Character.digit(name.charAt(i), HEXADECIMAL) < 0) {
                return OptionalLong.empty();
            }
        }
        return OptionalLong.of(Long.parseUnsignedLong(name, PREFIX.length(), digitsEnd, HEXADECIMAL));
    }

    /** Where the byte of position {@code lsn} lies in the file of a segment. */
    static long filePosition(long startLsn, long lsn) {
        return HEADER_BYTES + (lsn - startLsn);
    }
}
