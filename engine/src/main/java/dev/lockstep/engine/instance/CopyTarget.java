package dev.lockstep.engine.instance;

import dev.lockstep.engine.IncompleteCopyException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.TargetNotEmptyException;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.Storage;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * A directory that becomes a database: filled as a whole or not at all.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code incomplete.lockstep} is the first file made and the last one deleted, but for the one that locks the
 *       directory, which stays. While it is there, nobody opens
 *       the directory as a database.
 *   <li>The directory is locked while it is filled.
 * </ul>
 *
 * <p>Not thread-safe; one object fills once.
 */
public final class CopyTarget {
    private final Storage storage;
    private final Path to;
    private final DatabaseId databaseId;

    /**
     * @param to a directory that does not exist or is empty
     * @param databaseId what its mark says
     */
    public CopyTarget(Storage storage, Path to, DatabaseId databaseId) {
        this.storage = storage;
        this.to = to;
        this.databaseId = databaseId;
    }

    /**
     * Refuses a directory that was not filled completely.
     *
     * @throws IncompleteCopyException if it was not
     */
    public static void requireComplete(Storage storage, Path directory) {
        if (storage.exists(directory.resolve(FixedPlaces.INCOMPLETE_FILE))) {
            throw new IncompleteCopyException(
                    Message.of("the directory holds a copy of a database that was not finished")
                            .with("directory", directory)
                            .with("file", FixedPlaces.INCOMPLETE_FILE)
                            .remedy("delete the directory and make the copy again"));
        }
    }

    /**
     * Fills the directory.
     *
     * @param filling puts the files there, forced each by itself
     * @return what the filling returns
     * @throws TargetNotEmptyException if there is something in the directory; it is left as it is
     */
    public <T> T fill(Supplier<T> filling) {
        if (storage.exists(to)) {
            requireEmpty();
        }
        storage.createDirectories(to);
        Storage.DirectoryLock lock = storage.lockDirectory(to);
        try {
            // Looked at again: between the first look and the lock another process may have put something there.
            requireEmpty();
            return fillLocked(filling);
        } finally {
            lock.close();
        }
    }

    private <T> T fillLocked(Supplier<T> filling) {
        try {
            InstanceFiles.writeMarker(storage, to, FixedPlaces.INCOMPLETE_FILE, databaseId);
            T result = filling.get();
            storage.forceDirectory(to);
            removeMark();
            return result;
        } catch (RuntimeException | Error failure) {
            deleteAll(failure);
            throw failure;
        }
    }

    /** Goes last, when everything else in the directory is on the medium. */
    private void removeMark() {
        storage.delete(to.resolve(FixedPlaces.INCOMPLETE_FILE));
        storage.forceDirectory(to);
    }

    private void requireEmpty() {
        List<Path> found = files();
        if (!found.isEmpty()) {
            throw new TargetNotEmptyException(Message.of("the directory for a copy of the database is not empty")
                    .with("directory", to)
                    .with("file", found.getFirst().getFileName())
                    .remedy("name a directory that does not exist or is empty"));
        }
    }

    private List<Path> files() {
        return storage.list(to).stream()
                .filter(file -> !file.getFileName().toString().equals(DiskStorage.LOCK_FILE))
                .toList();
    }

    /** What cannot be deleted stays beside the mark that keeps everybody from opening it. */
    private void deleteAll(Throwable failure) {
        try {
            for (Path file : files()) {
                if (!file.getFileName().toString().equals(FixedPlaces.INCOMPLETE_FILE)) {
                    storage.delete(to.resolve(file.getFileName()));
                }
            }
            storage.forceDirectory(to);
            removeMark();
        } catch (LockstepException suppressed) {
            failure.addSuppressed(suppressed);
        }
    }
}
