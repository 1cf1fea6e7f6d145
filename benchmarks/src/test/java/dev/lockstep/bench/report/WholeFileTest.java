package dev.lockstep.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
    @TempDir
    private Path directory;

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    /** Whoever has the old file open reads all of it, as he would if the new one could not be written to its end. */
    @Test
    void theOldFileIsWholeUntilTheNewOneIs() throws IOException {
        Path file = directory.resolve("result.json");
        Json.write(file, "old");
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            Json.write(file, "new");
            assertEquals("\"old\"", reader.readLine());
        }
        assertEquals("\"new\"\n", Files.readString(file));
        assertEquals(List.of(file), files());
    }

    @Test
    void aLinkStaysOne() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "old");
        Path link = Files.createSymbolicLink(directory.resolve("link"), file.getFileName());
        WholeFile.write(link, "new");
        assertTrue(Files.isSymbolicLink(link));
        assertEquals("new", Files.readString(file));
        Files.delete(file);
        WholeFile.write(link, "made");
        assertTrue(Files.isSymbolicLink(link));
        assertEquals("made", Files.readString(file));
    }

    @Test
    void nothingIsLeftOfWhatCannotReplaceAnything() throws IOException {
        Path file = directory.resolve("file");
        Files.createDirectories(file.resolve("below"));
        assertThrows(IOException.class, () -> WholeFile.write(file, "text"));
        assertEquals(List.of(file), files());
    }
}
