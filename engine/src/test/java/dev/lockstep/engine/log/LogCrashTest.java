package dev.lockstep.engine.log;

import static dev.lockstep.engine.log.LogRecordLayout.LSN_FIRST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Seeds;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.scheduler.Waiter;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The machine stops at the first write, force, creation or renaming of the log, at the second, and so on, until a run
 * gets through. After each: every record that was acknowledged is read back, nothing else than the records appended, in
 * their order and without a gap, and the log goes on. Then the machine stops again, at a random change of that.
 */
class LogCrashTest {
    private static final long SEED = 8_191L;
    private static final int RECORD_COUNT = Seeds.times(1_500);
    private static final int RESTART_COUNT = 3;

    /** What a run left behind. */
    private static final class Run {
        private final LogFixture fixture;
        private final Random random;
        private final String name;
        private final LogRecordBuffer buffer = new LogRecordBuffer();
        private final Waiter waiter = new Waiter();
        private long appended;
        private long acknowledged;
        private long durableLsn = LSN_FIRST;
        private long retainedLsn = LSN_FIRST;
        private long retainedNumber;

        Run(long seed, String name) {
            fixture = new LogFixture(seed);
            random = new Random(seed);
            this.name = name + " seed=" + seed;
        }

        /** Appends until done or stopped; returns whether it got through. */
        boolean append(boolean async, long startLsn, int count) {
            Log log = null;
            try {
                log = fixture.open(LogFixture.small(async ? LogOptions.async() : LogOptions.sync()), startLsn);
                for (int i = 0; i < count; i++) {
                    appendOne(log, async);
                }
                log.close();
                return log.failure() == null;
            } catch (LockstepException e) {
                assertTrue(fixture.storage.isCrashed(), () -> name + " " + e);
                return false;
            } finally {
                if (log != null) {
                    durableLsn = Math.max(durableLsn, log.durableLsn());
                    log.close();
                }
            }
        }

        private void appendOne(Log log, boolean async) {
            log.throttle(waiter);
            long number = appended;
            long lsn = log.append(LogFixture.record(buffer, number, random.nextInt(random.nextInt(2_000) + 1)));
            appended = number + 1;
            boolean commits = random.nextInt(async ? 200 : 20) == 0;
            if (commits) {
                log.awaitDurable(lsn, waiter);
                acknowledged = appended;
                if (random.nextInt(8) == 0) {
                    log.deleteBefore(lsn);
                    retainedLsn = lsn;
                    retainedNumber = number;
                }
            }
        }

        /** Reads the log back and checks it; returns where it ends. */
        long verify() {
            if (!hasSegment()) {
                assertEquals(0, acknowledged, name);
                return LSN_FIRST;
            }
            LogFixture.Content content = fixture.read(retainedLsn, durableLsn);
            long number = retainedNumber;
            for (long found : content.numbers()) {
                assertEquals(number, found, name);
                number++;
            }
            long readUntil = number;
            assertTrue(number >= acknowledged, () -> name + " acknowledged=" + acknowledged + " read=" + readUntil);
            assertTrue(number <= appended, name);
            assertTrue(content.endLsn() >= durableLsn, name);
            // What was not acknowledged and is lost is appended anew.
            appended = number;
            return content.endLsn();
        }

        private boolean hasSegment() {
            for (Path path : fixture.storage.list(LogFixture.DIRECTORY)) {
                OptionalLong startLsn = LogSegmentLayout.startLsn(path);
                if (startLsn.isPresent()) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Whether it is the machine that stops, or the process only, or now this and now that. */
    private enum Stop {
        MACHINE,
        PROCESS,
        EITHER
    }

    private static void stop(Run run, Stop stop) {
        if (stop == Stop.MACHINE || (stop == Stop.EITHER && run.random.nextBoolean())) {
            run.fixture.storage.crash();
        } else {
            run.fixture.storage.kill();
        }
    }

    private static int crashAtEveryChange(boolean async, Stop stop) {
        int change = 1;
        // Ends because a run has finitely many changes.
        while (true) {
            Run run = new Run(SEED + change, "async=" + async + " stop=" + stop + " change=" + change);
            FaultyStorage storage = run.fixture.storage;
            storage.crashAtChange(change);
            boolean through = run.append(async, LSN_FIRST, RECORD_COUNT);
            for (int restart = 0; restart < RESTART_COUNT; restart++) {
                stop(run, stop);
                long endLsn = run.verify();
                storage.crashAtChange(1 + run.random.nextInt(12));
                if (run.append(async, endLsn, 60)) {
                    break;
                }
            }
            stop(run, stop);
            run.verify();
            if (through) {
                return change;
            }
            change++;
        }
    }

    @Test
    void syncSurvivesACrashOfTheMachineAtEveryChange() {
        int changes = crashAtEveryChange(false, Stop.MACHINE);
        assertTrue(changes > 100, "changes=" + changes);
    }

    @Test
    void asyncSurvivesEitherAtEveryChange() {
        int changes = crashAtEveryChange(true, Stop.EITHER);
        assertTrue(changes > 30, "changes=" + changes);
    }

    @Test
    void syncSurvivesTheEndOfTheProcessAtEveryChange() {
        int changes = crashAtEveryChange(false, Stop.PROCESS);
        assertTrue(changes > 100, "changes=" + changes);
    }
}
