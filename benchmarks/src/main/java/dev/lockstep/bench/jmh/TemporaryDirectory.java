package dev.lockstep.bench.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory for the files of one trial. */
final class TemporaryDirectory implements AutoCloseable {
    private final Path path;

    TemporaryDirectory() {
        try {
            path = Files.createTempDirectory("lockstep-jmh-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path path() {
        return path;
    }

    /** Deletes it with everything in it. */
    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(path)) {
            List<Path> inner = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : inner) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
