package dev.lockstep.engine.proof;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.LogOptions;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Opens databases on another file system than the system's, for proofs that need a disk that fails on demand. No
 * application can name this class. Thread-safe.
 */
public final class OtherStorage {
    private static final AtomicReference<Access> ACCESS = new AtomicReference<>();

    /** What {@link Database} gives to this class alone. */
    public interface Access {
        /** Opens a database. */
        Database open(Storage storage, Path directory, DatabaseOptions options, LogOptions logOptions);

        /** Closes a database without writing anything, as if the process had been killed. */
        void abandon(Database database);
    }

    private OtherStorage() {}

    /** Called once by {@link Database}. */
    public static void register(Access access) {
        ACCESS.set(access);
    }

    /**
     * Opens or creates the database of a directory, like {@link Database#open(Path, DatabaseOptions)}, and waits until
     * lost pages are found, or the search for them has been given up: so the same calls do the same to the disk again.
     */
    public static Database open(Storage storage, Path directory, DatabaseOptions options, LogOptions logOptions) {
        return access().open(storage, directory, options, logOptions);
    }

    /** Closes a database without writing anything, as if the process had been killed. */
    public static void abandon(Database database) {
        access().abandon(database);
    }

    private static Access access() {
        if (ACCESS.get() == null) {
            try {
                MethodHandles.lookup().ensureInitialized(Database.class);
            } catch (IllegalAccessException e) {
                throw new AssertionError("Database is public", e);
            }
        }
        return ACCESS.get();
    }
}
