package dev.lockstep.bench.report;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** Files that are there whole, or as they were before: a failure leaves no half of one behind. Thread-safe. */
public final class WholeFile {
    private WholeFile() {}

    /**
     * Writes a file beside the one of this name, which it then replaces. What is no regular file, such as a pipe, and
     * what lies where no other file may be made, is written as it is.
     *
     * @throws IOException if it cannot be written
     */
    public static void write(Path file, String text) throws IOException {
        // Of a link, the file that it leads to: the link stays.
        Path target = Files.isRegularFile(file) ? file.toRealPath() : file.toAbsolutePath();
        boolean replaceable = Files.isRegularFile(target) || Files.notExists(target, LinkOption.NOFOLLOW_LINKS);
        if (!replaceable || !Files.isWritable(target.getParent())) {
            Files.writeString(file, text);
            return;
        }
        Path part = target.resolveSibling(target.getFileName() + "." + UUID.randomUUID() + ".part");
        try {
            Files.writeString(part, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            replace(part, target);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static void replace(Path part, Path target) throws IOException {
        try {
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
