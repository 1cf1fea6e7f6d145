package dev.lockstep.bench.report;

import dev.lockstep.tpcc.TpccProgress.Phase;
import java.util.Optional;

/**
 * One line in which a child JVM tells its parent how it gets on; other lines of the child are meant for the user.
 *
 * @param phase what it is doing
 * @param done rows, transactions or milliseconds so far
 * @param total of about how many; 0 if unknown
 * @param transactions transactions so far, where terminals run
 */
public record ProgressLine(Phase phase, long done, long total, long transactions) {
    private static final String PREFIX = "@lockstep-progress";
    private static final int FIELDS = 5;

    /** The line. */
    public String text() {
        return PREFIX + " " + phase + " " + done + " " + total + " " + transactions;
    }

    /** Reads a line, or says that it is none of these. */
    public static Optional<ProgressLine> parse(String line) {
        String[] fields = line.split(" ", -1);
        if (fields.length != FIELDS || !fields[0].equals(PREFIX)) {
            return Optional.empty();
        }
        return Optional.of(new ProgressLine(
                Phase.valueOf(fields[1]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]),
                Long.parseLong(fields[4])));
    }
}
