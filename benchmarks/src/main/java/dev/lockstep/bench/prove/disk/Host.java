package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.OtherStorage;
import java.nio.file.Path;

/**
 * A database on a simulated disk, and the process it is open in. Not thread-safe.
 *
 * <p>The pool holds the whole database and the log's buffer every transaction, so that nothing is written but when the
 * caller waits for it: one run of a workload does to the disk exactly what another does.
 */
final class Host implements AutoCloseable {
    private static final Path HOME = Path.of("/database");
    private static final long POOL_BYTES = 4L << 20;

    /** Half of it holds the largest transaction, so that nothing is written before its commit. */
    private static final int LOG_BUFFER_BYTES = 1 << 20;

    private final SimulatedDisk disk;
    private Database databaseOrNull;

    Host(SimulatedDisk disk) {
        this.disk = disk;
    }

    SimulatedDisk disk() {
        return disk;
    }

    boolean isOpen() {
        return databaseOrNull != null;
    }

    /** The open database. */
    Database database() {
        if (databaseOrNull == null) {
            throw new IllegalStateException("the database is not open");
        }
        return databaseOrNull;
    }

    /** Starts the process and opens the database. */
    void open() {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(POOL_BYTES)
                .build();
        LogOptions log =
                LogOptions.sync().withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN).withBufferBytes(LOG_BUFFER_BYTES);
        databaseOrNull = OtherStorage.open(disk, HOME, options, log);
    }

    /** Closes the database in order; what happens meanwhile ends it too. */
    void closeDatabase() {
        Database closing = database();
        databaseOrNull = null;
        try {
            closing.close();
        } finally {
            disk.endProcess();
        }
    }

    /** Ends the process without closing the database. */
    void kill() {
        if (databaseOrNull != null) {
            Database killed = databaseOrNull;
            databaseOrNull = null;
            try {
                OtherStorage.abandon(killed);
            } catch (LockstepException e) {
                // A disk that has stopped can be neither unlocked nor closed; what is left of the process does not
                // count.
                disk.endProcess();
            }
        }
        disk.endProcess();
    }

    @Override
    public void close() {
        kill();
    }
}
