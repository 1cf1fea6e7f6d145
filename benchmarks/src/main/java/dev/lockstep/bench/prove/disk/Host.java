package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.TornPageProtection;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.OtherStorage;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A database on a simulated disk, and the process it is open in. Not thread-safe.
 *
 * <p>The pool holds the whole database and the log's buffer every transaction, so that nothing is written but when the
 * caller waits for it: one run of a workload does to the disk exactly what another does.
 */
final class Host implements AutoCloseable {
    /** Where the database lies. */
    static final Path HOME = Path.of("/database");

    private static final long POOL_BYTES = 4L << 20;

    /**
     * An eighth of it, beyond which the log is written before anybody waits for it, holds the largest transaction and
     * all the nodes that a compaction moves.
     */
    private static final int LOG_BUFFER_BYTES = 8 << 20;

    /** So many pages are copied as they were before the others change something. */
    private static final int PAGES_READ_BEFORE = 12;

    /** The mark of an unfinished copy and the header of its page file come before the pages. */
    private static final int WRITES_BEFORE = 2;

    private final SimulatedDisk disk;
    private final Path home;
    private final TornPageProtection tornPageProtection;
    private final Flaw flaw;
    private final Set<Path> copies = new HashSet<>();
    private SimulatedDisk.Process process;
    private Database databaseOrNull;

    /** A host of the database itself. */
    Host(SimulatedDisk disk, Workload workload, Flaw flaw) {
        this(disk, HOME, workload.tornPageProtection(), flaw);
    }

    /** A host of a database in some directory. */
    Host(SimulatedDisk disk, Path home, TornPageProtection tornPageProtection, Flaw flaw) {
        this.disk = disk;
        this.home = home;
        this.tornPageProtection = flaw.weakened(tornPageProtection);
        this.flaw = flaw;
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

    /** Starts the process and opens the database, which is made if there is none and it is not a copy. */
    void open() {
        open(false);
    }

    /** Starts the process and opens the database for reading only. */
    void openReadOnly() {
        open(true);
    }

    private void open(boolean readOnly) {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(home.equals(HOME) && !readOnly)
                .readOnly(readOnly)
                .poolBytes(POOL_BYTES)
                .tornPageProtection(tornPageProtection)
                .build();
        LogOptions log =
                LogOptions.sync().withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN).withBufferBytes(LOG_BUFFER_BYTES);
        process = disk.startProcess();
        databaseOrNull = OtherStorage.open(flaw.storage(process), home, options, log);
    }

    /**
     * Makes a copy in an empty directory, having removed what an earlier attempt has left there.
     *
     * @param target the directory
     * @param beforeRead run on this thread before a page is read, when some were
     * @param beforeWrite run on this thread before the first page of the copy is written
     */
    void backup(Path target, Runnable beforeRead, Runnable beforeWrite) {
        Storage storage = flaw.storage(process);
        if (storage.exists(target)) {
            List<Path> files = storage.list(target);
            for (Path file : files) {
                storage.delete(target.resolve(file.getFileName()));
            }
            if (!files.isEmpty()) {
                storage.forceDirectory(target);
            }
        }
        process.interject(DiskOperation.Kind.READ, home, PAGES_READ_BEFORE, beforeRead);
        process.interject(DiskOperation.Kind.WRITE, target, WRITES_BEFORE, beforeWrite);
        try {
            database().backup(target);
            copies.add(target);
        } finally {
            process.interjectNothing();
        }
    }

    /** Whether this host was told that a copy is finished. */
    boolean hasCopied(Path target) {
        return copies.contains(target);
    }

    /** Closes the database in order; what happens meanwhile ends it too. */
    void closeDatabase() {
        Database closing = database();
        databaseOrNull = null;
        try {
            closing.close();
        } finally {
            process.end();
        }
    }

    /** Ends the process without closing the database: nothing that its threads try afterwards reaches the disk. */
    void kill() {
        if (process != null) {
            process.end();
        }
        if (databaseOrNull != null) {
            Database killed = databaseOrNull;
            databaseOrNull = null;
            try {
                OtherStorage.abandon(killed);
            } catch (LockstepException e) {
                // Its files can be neither unlocked nor closed; what is left of the process does not count.
                process.end();
            }
        }
    }

    @Override
    public void close() {
        kill();
    }
}
