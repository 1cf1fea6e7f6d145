package dev.lockstep.bench.process;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A directory for the files of one run, of which nothing stays: it goes when it is closed, or when the JVM is told to
 * end; and what runs of the same name have left that were killed, whose process is in its name, goes when the next one
 * is made. Thread-safe.
 */
public final class ScratchDirectory implements AutoCloseable {
    private static final String PREFIX = "lockstep-";

    private final Path path;
    private final Thread hook;

    private ScratchDirectory(Path path) {
        this.path = path;
        this.hook = Thread.ofPlatform().name("scratch-remover").unstarted(() -> {
            try {
                delete(path);
            } catch (IOException e) {
                // The next run of this name tries again.
                return;
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Makes one where the system keeps what is temporary.
     *
     * @param name of what runs, letters
     */
    public static ScratchDirectory make(String name) throws IOException {
        return make(Path.of(System.getProperty("java.io.tmpdir")), name);
    }

    /** Makes one in a directory, which exists. */
    public static ScratchDirectory make(Path parent, String name) throws IOException {
        deleteAbandoned(parent, name);
        String prefix = PREFIX + name + "-" + ProcessHandle.current().pid() + "-";
        return new ScratchDirectory(Files.createTempDirectory(parent, prefix).toAbsolutePath());
    }

    private static void deleteAbandoned(Path parent, String name) throws IOException {
        Pattern ours = Pattern.compile(Pattern.quote(PREFIX + name) + "-(\\d{1,18})-\\d+");
        List<Path> abandoned;
        try (Stream<Path> entries = Files.list(parent)) {
            abandoned = entries.filter(entry -> {
                        Matcher matcher = ours.matcher(entry.getFileName().toString());
                        return matcher.matches()
                                && Files.isWritable(entry)
                                && ProcessHandle.of(Long.parseLong(matcher.group(1)))
                                        .isEmpty();
                    })
                    .toList();
        }
        for (Path each : abandoned) {
            delete(each);
        }
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /** Deletes what this process has made below it, or somewhere else, with everything in it. */
    public static void remove(Path directory) throws IOException {
        if (Files.exists(directory)) {
            delete(directory);
        }
    }

    /** Deletes it with everything in it. */
    @Override
    public void close() throws IOException {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook does the same at the same time.
            return;
        }
        delete(path);
    }

    /** Files that somebody else deletes meanwhile are gone as well. */
    private static void delete(Path directory) throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path each, IOException failure) throws IOException {
                Files.deleteIfExists(each);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
