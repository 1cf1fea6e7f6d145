package dev.lockstep.system.style;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The files of the project that these tests run in. */
final class Project {
    /** Directories of the modules that have main code. */
    static final List<String> MODULES = List.of("scheduler", "native", "engine", "tpcc", "benchmarks");

    private static final Set<String> SKIPPED = Set.of("target", ".git", ".idea", ".vscode", ".settings", "out");

    /** What a run leaves beside the files of the project and {@code .gitignore} names. */
    private static final List<String> LEFT_BEHIND =
            List.of("glob:hs_err_pid*.log", "glob:*.jfr", "glob:core.[0-9]*", "glob:*.iml", "glob:*~");

    private Project() {}

    /** The project's directory: the nearest one upwards that holds the launcher. */
    static Path root() {
        for (Path path = Path.of("").toAbsolutePath(); path != null; path = path.getParent()) {
            if (Files.isRegularFile(path.resolve("lockstep")) && Files.isRegularFile(path.resolve("pom.xml"))) {
                return path;
            }
        }
        throw new IllegalStateException("No project around the working directory: directory="
                + Path.of("").toAbsolutePath());
    }

    /** Every text file of the project, build output and what runs left behind left out. */
    static List<SourceFile> files() {
        return files(root());
    }

    /** {@link #files()} of the project in a directory. */
    static List<SourceFile> files(Path root) {
        List<SourceFile> files = new ArrayList<>();
        collect(root, root, files);
        return files;
    }

    /** Every class file of a module's main code. */
    static List<Path> classes(String module) {
        Path directory = root().resolve(module).resolve("target/classes");
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".class")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void collect(Path root, Path directory, List<SourceFile> files) {
        try (Stream<Path> entries = Files.list(directory)) {
            for (Path entry : entries.sorted().toList()) {
                if (isLeftBehind(entry.getFileName())) {
                    continue;
                }
                if (!Files.isDirectory(entry)) {
                    String path = root.relativize(entry).toString().replace('\\', '/');
                    text(entry).ifPresent(text -> files.add(new SourceFile(path, text)));
                } else if (!SKIPPED.contains(entry.getFileName().toString())) {
                    collect(root, entry, files);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isLeftBehind(Path name) {
        return LEFT_BEHIND.stream()
                .anyMatch(
                        pattern -> name.getFileSystem().getPathMatcher(pattern).matches(name));
    }

    private static Optional<String> text(Path file) throws IOException {
        try {
            return Optional.of(Files.readString(file));
        } catch (CharacterCodingException e) {
            // A picture, not a text.
            return Optional.empty();
        }
    }
}
