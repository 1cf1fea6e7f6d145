package dev.lockstep.bench.process;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The commit that the running classes were built from, where they lie inside a working tree of Lockstep. It is looked
 * at once: who commits while something is measured does not change what was measured.
 */
public final class SourceVersion {
    /** Long enough for git on a slow disk; a result without a commit is better than none. */
    private static final long GIT_SECONDS_MAX = 10;

    private SourceVersion() {}

    /** Initialised when it is asked for first. */
    private static final class Once {
        static final Optional<String> COMMIT = location().flatMap(SourceVersion::commit);
    }

    /**
     * The commit's hash, with {@code -dirty} if files differ from it, if there are others among the sources, or if that
     * cannot be told; empty if unknown. To be called before anything is measured.
     */
    public static Optional<String> commit() {
        return Once.COMMIT;
    }

    /** The same for what lies in a directory, now. */
    static Optional<String> commit(Path directory) {
        Optional<String> top = git(directory, "rev-parse", "--show-toplevel");
        if (top.isEmpty() || !Files.isExecutable(Path.of(top.get(), "lockstep"))) {
            return Optional.empty();
        }
        Optional<String> commit = git(directory, "rev-parse", "HEAD");
        Path root = Path.of(top.get());
        boolean clean = isEmpty(git(root, "status", "--porcelain", "--untracked-files=no"))
                && isEmpty(git(root, "ls-files", "--others", "--exclude-standard", "--", ":(glob)**/src/**"));
        return commit.map(hash -> clean ? hash : hash + "-dirty");
    }

    private static boolean isEmpty(Optional<String> printed) {
        return printed.map(String::isEmpty).orElse(false);
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
            BriefProcess git = BriefProcess.runOrNull(
                    new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD), GIT_SECONDS_MAX);
            return git != null && git.exitCode() == 0
                    ? Optional.of(git.printed().trim())
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
