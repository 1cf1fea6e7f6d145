package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Files of a database are for its owner alone, whatever the process leaves to others by default. */
class OwnerOnlyTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    @Test
    void filesAndDirectories() throws IOException {
        Assumptions.assumeTrue(
                scratch.getFileSystem().supportedFileAttributeViews().contains("posix"),
                "NOT RUN: the file system has no POSIX permissions");
        Path home = scratch.resolve("made").resolve("database");
        Database database = validated.open(home, ValidatedDatabase.SMALLEST, null);
        database.createTable(TableDefinition.named("t")
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build());
        database.checkpoint();
        database.backup(scratch.resolve("copy"));
        requireOwnerOnly(home);
        requireOwnerOnly(scratch.resolve("copy"));
        requireOwnerOnlyWhileItIsWritten(database);
        validated.close(database);
        requireOwnerOnly(home);
        Database.salvage(home, scratch.resolve("saved"), ProgressListener.NONE);
        requireOwnerOnly(scratch.resolve("saved"));
    }

    /** A copy has a mark as long as it is not finished. */
    private void requireOwnerOnlyWhileItIsWritten(Database database) {
        Path copy = scratch.resolve("copy in the making");
        database.backup(copy, (stage, done, total) -> {
            try {
                requireOwnerOnly(copy);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static void requireOwnerOnly(Path directory) throws IOException {
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> found = files.toList();
            assertTrue(found.size() >= 3, found::toString);
            for (Path file : found) {
                assertEquals(
                        "rw-------",
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
                        file.toString());
            }
        }
    }
}
