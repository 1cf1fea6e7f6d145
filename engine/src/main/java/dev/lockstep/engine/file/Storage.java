package dev.lockstep.engine.file;

import java.nio.file.Path;
import java.util.List;

/**
 * Every access of the engine to the file system. Tests replace it by one that fails, tears and forgets.
 *
 * <p>Creation, replacement and removal of files are certain to survive a crash of the machine only after {@link
 * #forceDirectory}. Until then each of them may be lost while later ones survive.
 *
 * <p>Thread-safety: all methods may be called by any thread; an interrupt of the caller does not end a call.
 *
 * <p>All methods throw {@link dev.lockstep.engine.StorageException} if the system refuses, {@link
 * dev.lockstep.engine.DiskFullException} if there is no room; a force only the former, whatever the system says.
 */
public interface Storage {
    /** How a file is opened. */
    enum OpenMode {
        /** The file exists and is only read. */
        READ_ONLY,
        /** The file exists, is read and written. */
        READ_WRITE,
        /** The file is made, or emptied if it exists, then read and written. */
        CREATE
    }

    /** Keeps others out of a directory until it is closed. */
    interface DirectoryLock extends AutoCloseable {
        /** Whether this process may not write in the directory, so that others who may not either are let in. */
        default boolean isShared() {
            return false;
        }

        /** Lets others in. A second call does nothing. */
        @Override
        void close();
    }

    /**
     * Opens a file.
     *
     * @throws dev.lockstep.engine.MissingFileException if the file does not exist and the mode does not make it
     */
    BlockFile open(Path path, OpenMode mode);

    /**
     * Returns whether there is a file or directory of that name; false only where the system says that there is none.
     */
    boolean exists(Path path);

    /** Removes a file; nothing happens if there is none. */
    void delete(Path path);

    /** Returns the files and directories in a directory, sorted by name. */
    List<Path> list(Path directory);

    /** Gives a file a new name in the same directory, in place of a file that has it, at once or not at all. */
    void atomicReplace(Path from, Path to);

    /**
     * Returns when the entries of a directory are on the medium: what was created in it, renamed and removed. Windows
     * cannot force a directory, and journals its entries by itself. After a failure nobody knows what is there, and a
     * second attempt proves nothing: so it is never said to be a full disk, which would be tried again.
     *
     * @throws dev.lockstep.engine.StorageException if the system refuses, or there is no such directory
     */
    void forceDirectory(Path directory);

    /**
     * Makes a directory and those above it, as far as they do not exist; those that were made are on the medium on
     * return. Of those that exist nothing is known: a call that failed may have left them.
     */
    void createDirectories(Path directory);

    /**
     * Whether pages are read before they are needed, several at a time. A storage to which every run has to make the
     * same calls in the same order says no; it is asked for each page when that is needed.
     */
    default boolean readsAhead() {
        return true;
    }

    /**
     * Whether calls end at once, since there is no medium to wait for. Then whoever needs a page reads it itself, and
     * wakes no other thread for that.
     */
    default boolean answersAtOnce() {
        return false;
    }

    /**
     * Keeps every other process, and every other caller in this one, out of a directory. Where this process is not
     * permitted to write, other processes of which that is true as well are let in.
     *
     * @throws dev.lockstep.engine.DatabaseInUseException if somebody has it locked
     */
    DirectoryLock lockDirectory(Path directory);
}
