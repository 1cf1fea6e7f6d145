package dev.lockstep.engine.buffer;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.OutOfFramesException;
import dev.lockstep.engine.ReadOnlyException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TruncatedFileException;

/**
 * Throws again, in the thread that waited, what went wrong in the thread that worked: an exception of the same type,
 * whose stack is the waiting thread's and whose cause is the original. One exception object is never thrown in two
 * threads.
 */
final class Failures {
    private Failures() {}

    /**
     * Makes the exception.
     *
     * @param what what the caller wanted, as the beginning of a message
     * @param cause why it failed
     */
    static LockstepException of(Message what, Throwable cause) {
        what.with("reason", cause);
        return switch (cause) {
            case CorruptionException _ ->
                new CorruptionException(what.remedy("Restore the database from a backup."), cause);
            case TruncatedFileException _ ->
                new TruncatedFileException(what.remedy("Restore the database from a backup."), cause);
            case DiskFullException _ ->
                new DiskFullException(what.remedy("Free space on the volume, then try again."), cause);
            case DatabaseFailedException _ ->
                new DatabaseFailedException(what.remedy("Close the database and open it again."), cause);
            case DatabaseClosedException _ ->
                new DatabaseClosedException(what.remedy("Open the database again."), cause);
            case ReadOnlyException _ ->
                new ReadOnlyException(what.remedy("Open the database without the read-only option."), cause);
            case OutOfFramesException _ -> new OutOfFramesException(what.remedy("Configure a larger pool."), cause);
            case StorageException _ ->
                new StorageException(what.remedy("Check the medium, the permissions and the limits."), cause);
            // It is missing for a moment, as a page is that cannot be read, and nothing was changed for want of it.
            case OutOfMemoryError _ ->
                new StorageException(what.remedy("Leave the JVM more memory, then try again."), cause);
            default -> new DatabaseFailedException(what.remedy("Close the database and open it again."), cause);
        };
    }
}
