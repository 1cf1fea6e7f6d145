package dev.lockstep.system.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseInUseException;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.UncleanShutdownException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a child JVM under load, again and again, and opens what it leaves. The moments are counted in acknowledgements
 * and chosen by a seed: {@code -Dlockstep.seed=N} replays the choices, though not the threads' interleaving.
 */
class KillTest {
    private static final long SEED = Long.getLong("lockstep.seed", 20_261_120L);
    private static final int KILLS_SYNC = 40;
    private static final int KILLS_ASYNC = 12;
    private static final int KILLS_NONE = 3;
    private static final int ACKNOWLEDGEMENTS_MAX = 250;

    @TempDir
    Path directory;

    private Random random;

    /** The most changes of files that an opening was seen to make; 0 before the first. */
    private int openingChangesMax;

    private int killedWhileRecovering;

    @Test
    void syncLosesNothingAcknowledged() throws Exception {
        random = new Random(SEED);
        Path home = directory.resolve("sync");
        createBank(home, Durability.SYNC);
        int[] before = new int[CrashChild.WORKERS];
        for (int kill = 0; kill < KILLS_SYNC; kill++) {
            String round = "seed=" + SEED + " kill=" + kill;
            int[] acknowledged = killUnderLoad(home, Durability.SYNC, false);
            if (random.nextInt(4) == 0) {
                killWhileOpening(home, Durability.SYNC);
            }
            try (Database database = Database.open(home, Bank.options(Durability.SYNC))) {
                int[] present = BankCheck.check(database, round, false);
                for (int worker = 0; worker < CrashChild.WORKERS; worker++) {
                    int least = Math.max(before[worker], acknowledged[worker]);
                    String at = round + " worker=" + worker + " present=" + present[worker] + " acknowledged=" + least;
                    assertTrue(present[worker] >= least, () -> "an acknowledged commit is lost: " + at);
                    assertTrue(present[worker] <= least + 1, () -> "a commit was not acknowledged in its turn: " + at);
                }
                before = present;
            }
        }
        assertTrue(Arrays.stream(before).sum() > KILLS_SYNC, "work was done");
        assertTrue(killedWhileRecovering > 0, "SEED=" + SEED);
    }

    @Test
    void asyncLosesASuffixInCommitOrder() throws Exception {
        random = new Random(SEED + 1);
        Path home = directory.resolve("async");
        createBank(home, Durability.ASYNC);
        int done = 0;
        for (int kill = 0; kill < KILLS_ASYNC; kill++) {
            String round = "seed=" + SEED + " kill=" + kill;
            killUnderLoad(home, Durability.ASYNC, true);
            try (Database database = Database.open(home, Bank.options(Durability.ASYNC))) {
                done = Arrays.stream(BankCheck.check(database, round, true)).sum();
            }
        }
        assertTrue(done > KILLS_ASYNC, "work was done");
    }

    @Test
    void noneRefusesToOpenUnlessToldToStartEmpty() throws Exception {
        random = new Random(SEED + 2);
        Path home = directory.resolve("none");
        DatabaseOptions options = Bank.options(Durability.NONE);
        for (int kill = 0; kill < KILLS_NONE; kill++) {
            killUnderLoad(home, Durability.NONE, false);
            assertThrows(UncleanShutdownException.class, () -> Database.open(home, options));
            assertThrows(UncleanShutdownException.class, () -> Database.open(home, Bank.options(Durability.SYNC)));
            DatabaseOptions empty =
                    options.toBuilder().startEmptyAfterUncleanClose(true).build();
            try (Database database = Database.open(home, empty)) {
                assertEquals(List.of(), database.tableNames());
                database.validate();
            }
        }
        try (Database database = Database.open(home, options)) {
            assertEquals(List.of(), database.tableNames());
            Bank.create(database);
        }
        try (Database database = Database.open(home, options)) {
            BankCheck.check(database, "closed in order", true);
        }
    }

    @Test
    void anotherProcessKeepsUsOutUntilItIsDead() throws Exception {
        random = new Random(SEED + 3);
        Path home = directory.resolve("used");
        createBank(home, Durability.SYNC);
        try (ChildProcess child = ChildProcess.start(home, Durability.SYNC, 1, false)) {
            child.awaitOpened();
            DatabaseOptions readOnly = DatabaseOptions.builder().readOnly(true).build();
            assertThrows(DatabaseInUseException.class, () -> Database.open(home, Bank.options(Durability.SYNC)));
            assertThrows(DatabaseInUseException.class, () -> Database.open(home, readOnly));
            child.awaitAcknowledgements(10);
            child.kill();
        }
        try (Database database = Database.open(home, Bank.options(Durability.SYNC))) {
            BankCheck.check(database, "after the other process", false);
        }
    }

    private static void createBank(Path home, Durability durability) {
        try (Database database = Database.open(home, Bank.options(durability))) {
            Bank.create(database);
        }
    }

    private int[] killUnderLoad(Path home, Durability durability, boolean stamped) throws Exception {
        try (ChildProcess child = ChildProcess.start(home, durability, random.nextLong(1L << 40), stamped)) {
            child.awaitOpened();
            child.awaitAcknowledgements(random.nextInt(ACKNOWLEDGEMENTS_MAX));
            return child.kill();
        }
    }

    /** Before some change of a file that the opening makes, or behind the last. What is committed stays as it is. */
    private void killWhileOpening(Path home, Durability durability) throws Exception {
        long stopAt = openingChangesMax == 0 ? Long.MAX_VALUE : 1 + random.nextInt(openingChangesMax + 1);
        try (ChildProcess child = ChildProcess.startOpening(home, durability, stopAt)) {
            OptionalInt changes = child.awaitOpenedOrStopped();
            if (changes.isPresent()) {
                openingChangesMax = Math.max(openingChangesMax, changes.getAsInt());
            } else if (stopAt > 1) {
                killedWhileRecovering++;
            }
            child.kill();
        }
    }
}
