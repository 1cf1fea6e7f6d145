package dev.lockstep.engine.file;

import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.StorageException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** Turns what the operating system says into the engine's exceptions. */
final class DiskFailures {
    /**
     * What systems say when there is no room, in lower case: ENOSPC and EDQUOT on Linux and macOS, ERROR_DISK_FULL on
     * Windows. The JDK has no exception of its own for it. In another language the text differs: a failed write is then
     * judged by the room that is left, and what else fails is a {@link StorageException}.
     */
    private static final List<String> NO_ROOM =
            List.of("no space left", "disk quota exceeded", "not enough space", "disk is full");

    private static final String CANNOT_WRITE = "Cannot write";

    /** Asks how many bytes may still be written to the volume of a directory. */
    @FunctionalInterface
    interface UsableSpace {
        long bytes(Path directory) throws IOException;
    }

    private DiskFailures() {}

    /**
     * Makes the exception for a failed file operation that is no force: for these see {@link #ofForce}.
     *
     * @param what what could not be done
     * @param path the file
     * @param more adds further pairs to the message
     * @param cause what the system said
     */
    static LockstepException of(String what, Path path, UnaryOperator<Message> more, IOException cause) {
        Message message = more.apply(Message.of(what).with("file", path)).with("reason", cause);
        if (cause instanceof NoSuchFileException) {
            return new MissingFileException(
                    message.remedy("Check the directory, or restore the file from a backup."), cause);
        }
        if (isNoRoom(cause)) {
            return full(message, cause);
        }
        return new StorageException(message.remedy("Check the medium, the permissions and the limits."), cause);
    }

    /**
     * Makes the exception for a failed write. Where the system's words are not known, the disk is full if it has less
     * room than what was not written; it is asked only then.
     *
     * @param path the file
     * @param more adds further pairs to the message
     * @param missingBytes what was not written
     * @param space tells the room; where it fails, the disk is not taken for full
     * @param cause what the system said
     */
    static LockstepException ofWrite(
            Path path, UnaryOperator<Message> more, long missingBytes, UsableSpace space, IOException cause) {
        if (!isNoRoom(cause)) {
            long usableBytes = usableBytesOrMax(path, space);
            if (usableBytes < missingBytes) {
                Message message = more.apply(Message.of(CANNOT_WRITE).with("file", path))
                        .with("usableBytes", usableBytes)
                        .with("missingBytes", missingBytes)
                        .with("reason", cause);
                return full(message, cause);
            }
        }
        return of(CANNOT_WRITE, path, more, cause);
    }

    private static long usableBytesOrMax(Path path, UsableSpace space) {
        try {
            return space.bytes(path.toAbsolutePath().getParent());
        } catch (IOException | RuntimeException unknown) {
            // The write has failed; why the room is not known helps nobody.
            return Long.MAX_VALUE;
        }
    }

    private static DiskFullException full(Message message, IOException cause) {
        return new DiskFullException(message.remedy("Free space on the volume, then try again."), cause);
    }

    /**
     * Makes the exception for a failed force, which is never a {@link DiskFullException}, even where the system says
     * that there is no room. Who is told of a full disk tries again when there is some. But after a failed force nobody
     * knows what is on the medium, and a later one that succeeds proves nothing: the system may have dropped the data
     * and call it written (Rebello et al., ATC 2020).
     *
     * @param what what could not be done
     * @param path the file or directory
     * @param cause what the system said
     */
    static StorageException ofForce(String what, Path path, IOException cause) {
        return new StorageException(
                Message.of(what)
                        .with("file", path)
                        .with("reason", cause)
                        .remedy("Check the medium and the room on it, then open the database again."),
                cause);
    }

    private static boolean isNoRoom(IOException cause) {
        if (cause.getMessage() == null) {
            return false;
        }
        String said = cause.getMessage().toLowerCase(Locale.ROOT);
        return NO_ROOM.stream().anyMatch(said::contains);
    }
}
