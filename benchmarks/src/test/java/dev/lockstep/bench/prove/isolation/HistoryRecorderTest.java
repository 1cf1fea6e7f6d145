package dev.lockstep.bench.prove.isolation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the levels admit is found in histories of real transactions. */
class HistoryRecorderTest {
    private static final long SEED = 20_250_101;

    @TempDir
    Path directory;

    /** What is admitted is not only admitted, but met by transactions that nobody has arranged. */
    @Test
    void whatIsAdmittedHappens() throws IOException, InterruptedException {
        for (Isolation level : Isolation.values()) {
            for (boolean indexed : new boolean[] {false, true}) {
                HistoryChecker.Verdict verdict = HistoryChecker.check(record(Optional.of(level), indexed));
                assertEquals(Map.of(), verdict.forbidden(), () -> "seed=" + SEED);
                assertEquals(
                        level == Isolation.SERIALIZABLE,
                        verdict.shown().isEmpty(),
                        () -> level + " seed=" + SEED + " indexed=" + indexed);
            }
        }
    }

    /** Transactions of all levels run beside each other, rows go and come, and each sees what it was promised. */
    @Test
    void levelsAreKeptBesideOthers() throws IOException, InterruptedException {
        History history = record(Optional.empty(), true);
        HistoryChecker.Verdict verdict = HistoryChecker.check(history);
        assertEquals(Map.of(), verdict.forbidden(), () -> "seed=" + SEED);
        assertFalse(verdict.shown().isEmpty(), "weak levels show what they admit");
        assertEquals(
                EnumSet.allOf(Isolation.class),
                history.transactions().stream()
                        .map(History.Executed::level)
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Isolation.class))));
        assertTrue(history.transactions().stream()
                .anyMatch(executed -> executed.committed()
                        && executed.steps().stream()
                                .anyMatch(step -> step instanceof History.Write write && write.deletes())));
    }

    /** What one member does for others is seen by all as what each has done. */
    @Test
    void stagedTeamsKeepTheirLevels() throws IOException, InterruptedException {
        HistorySpec spec = new HistorySpec(
                Optional.empty(), ThreadKind.STAGED_S_THREADS, 64, 40, SEED, true, Optional.empty(), Optional.empty());
        History history = HistoryRecorder.record(spec);
        assertEquals(Map.of(), HistoryChecker.check(history).forbidden(), () -> "seed=" + SEED);
        assertTrue(history.operationsStaged() > 0, "no team was staged");
    }

    /** Beside upkeep, of which nobody notices anything; what its backups show is judged too. */
    @Test
    void upkeepIsNotNoticed() throws IOException, InterruptedException {
        Path database = directory.resolve("database");
        History history = HistoryRecorder.record(new HistorySpec(
                Optional.empty(),
                ThreadKind.VIRTUAL_THREADS,
                64,
                40,
                SEED,
                true,
                Optional.empty(),
                Optional.of(database)));
        assertEquals(Map.of(), HistoryChecker.check(history).forbidden(), () -> "seed=" + SEED);
        assertTrue(history.transactions().stream()
                .anyMatch(executed -> executed.thread().equals(History.BACKUP)
                        && executed.steps().stream().anyMatch(step -> step.seen().length > 0)));
    }

    /** A history that fails leaves its backups, which are in nobody's way. */
    @Test
    void backupsOfAnotherHistoryAreNotInTheWay() throws IOException, InterruptedException {
        Files.createDirectories(directory.resolve("backups").resolve("backup-0").resolve("left"));
        Files.createDirectories(
                directory.resolve("first-backups").resolve("backup-0").resolve("left"));
        History history = HistoryRecorder.record(new HistorySpec(
                Optional.empty(),
                ThreadKind.VIRTUAL_THREADS,
                4,
                4,
                SEED,
                false,
                Optional.empty(),
                Optional.of(directory.resolve("second"))));
        assertTrue(history.transactions().stream()
                .anyMatch(executed -> executed.thread().equals(History.BACKUP)));
    }

    private static History record(Optional<Isolation> level, boolean indexed) throws IOException, InterruptedException {
        return HistoryRecorder.record(new HistorySpec(
                level, ThreadKind.VIRTUAL_THREADS, 64, 40, SEED, indexed, Optional.empty(), Optional.empty()));
    }
}
