package dev.lockstep.bench.report;

import java.io.IOException;
import java.nio.file.FileSystemException;
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
     * what cannot be replaced so, is written as it is.
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
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            // No room for two, or a file that may be written and not replaced, such as one that is mounted.
            Files.deleteIfExists(part);
            Files.writeString(target, text);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
