package dev.lockstep.bench.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

class SourceVersionTest {
    private static final int GIT_SECONDS_MAX = 600;

    @TempDir
    private Path directory;

    private Path source;

    private String git(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("git", "-C", directory.toString(), "-c", "user.name=test", "-c", "user.email=test@localhost"));
        command.addAll(List.of(arguments));
        BriefProcess git;
        try {
            git = BriefProcess.runOrNull(
                    new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD), GIT_SECONDS_MAX);
        } catch (IOException e) {
            System.out.println("NOT RUN: git is missing");
            throw new TestAbortedException("git is missing", e);
        }
        assertEquals(0, git.exitCode(), String.join(" ", arguments));
        return git.printed().trim();
    }

    @BeforeEach
    void commitATree() throws IOException, InterruptedException {
        source = Files.createDirectories(directory.resolve("engine/src/main"));
        Files.writeString(source.resolve("One.java"), "class One {}");
        Path launcher = Files.writeString(directory.resolve("lockstep"), "");
        assertTrue(launcher.toFile().setExecutable(true));
        git("init", "-q");
        git("add", "--all");
        git("commit", "-q", "-m", "Begin");
    }

    @Test
    void aTreeAsItWasCommittedHasItsHash() throws IOException, InterruptedException {
        Files.writeString(directory.resolve("result.json"), "{}");
        assertEquals(Optional.of(git("rev-parse", "HEAD")), SourceVersion.commit(source));
    }

    @Test
    void sourcesThatWereChangedOrAddedAreDirty() throws IOException, InterruptedException {
        Optional<String> dirty = Optional.of(git("rev-parse", "HEAD") + "-dirty");
        Path added = Files.writeString(source.resolve("Two.java"), "class Two {}");
        assertEquals(dirty, SourceVersion.commit(source));
        Files.delete(added);
        Files.writeString(source.resolve("One.java"), "class One { }");
        assertEquals(dirty, SourceVersion.commit(source));
    }

    @Test
    void whereNoLauncherIsThereIsNoCommit() throws IOException {
        Files.delete(directory.resolve("lockstep"));
        assertEquals(Optional.empty(), SourceVersion.commit(source));
    }
}
