package dev.lockstep.bench.process;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The commit that the running classes were built from, where they lie inside a working tree of Lockstep. */
public final class SourceVersion {
    /** Long enough for git on a slow disk; a result without a commit is better than none. */
    private static final long GIT_SECONDS_MAX = 10;

    private SourceVersion() {}

    /** The commit's hash, with {@code -dirty} if files differ from it; empty if unknown. */
    public static Optional<String> commit() {
        Optional<Path> classes = location();
        if (classes.isEmpty()) {
            return Optional.empty();
        }
        Path directory = classes.get();
        Optional<String> top = git(directory, "rev-parse", "--show-toplevel");
        if (top.isEmpty() || !Files.isExecutable(Path.of(top.get(), "lockstep"))) {
            return Optional.empty();
        }
        Optional<String> commit = git(directory, "rev-parse", "HEAD");
        Optional<String> changes = git(Path.of(top.get()), "status", "--porcelain", "--untracked-files=no");
        return commit.map(hash -> hash + (changes.map(String::isEmpty).orElse(true) ? "" : "-dirty"));
    }

    private static Optional<Path> location() {
        CodeSource source = SourceVersion.class.getProtectionDomain().getCodeSource();
        if (source == null) {
            return Optional.empty();
        }
        try {
            Path path = Path.of(source.getLocation().toURI());
            return Optional.of(Files.isDirectory(path) ? path : path.getParent());
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /** What git prints, or empty where there is no git, or no working tree. */
    private static Optional<String> git(Path directory, String... arguments) {
        List<String> command = new ArrayList<>(List.of("git", "-C", directory.toString()));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
            if (!process.waitFor(GIT_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.empty();
            }
            return process.exitValue() == 0 ? Optional.of(printed) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
