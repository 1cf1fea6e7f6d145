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
     * Windows. The JDK has no exception of its own for it. In another language the text differs, and the exception is a
     * {@link StorageException} then.
     */
    private static final List<String> NO_ROOM =
            List.of("no space left", "disk quota exceeded", "not enough space", "disk is full");

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
            return new DiskFullException(message.remedy("Free space on the volume, then try again."), cause);
        }
        return new StorageException(message.remedy("Check the medium, the permissions and the limits."), cause);
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
