package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Counts what a workload does to its files, then runs it again and again, each time with a machine that stops at
 * another of these changes, or a change that fails, or a disk that is full; opens what is left and compares it with
 * what was acknowledged. The machine also stops while it recovers.
 *
 * <p>The points that are tried are evenly spread, and more of them with {@link Seeds#times}.
 */
class CrashAtEveryWriteTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private static final int POINTS_MAX = Seeds.times(30);
    private static final long SEED = 42;
    private static final Path HOME = Path.of("/database");

    /** Recoveries that are stopped in turn before one may run through. */
    private static final int STOPPED_RECOVERIES_MAX = 3;

    /** Failures that one mended fault may cause: the step that meets it, and what was in the background. */
    private static final int FAILURES_MAX = 4;

    private final CrashWorkload workload = new CrashWorkload(SEED, 700, 45);

    private static Database open(FaultyStorage storage) {
        return open(storage, TornPageProtection.DOUBLE_WRITE);
    }

    private static Database open(FaultyStorage storage, TornPageProtection protection) {
        LogOptions log = LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        DatabaseOptions options = ValidatedDatabase.SMALLEST.toBuilder()
                .tornPageProtection(protection)
                .build();
        return Database.open(storage, HOME, options, null, log);
    }

    /** The points of images are fewer: most changes of a run are the same. */
    private static int pointsMax(TornPageProtection protection) {
        return protection == TornPageProtection.DOUBLE_WRITE ? POINTS_MAX : Math.max(1, POINTS_MAX / 3);
    }

    /** Runs steps until one fails; the number of those done. */
    private int run(Database database, int from, Holder failure) {
        int done = from;
        try {
            while (done < workload.stepCount()) {
                workload.apply(done, database);
                done++;
            }
        } catch (LockstepException e) {
            failure.exception = e;
        }
        return done;
    }

    private static final class Holder {
        private LockstepException exception;
    }

    private long changesOfWholeRun(TornPageProtection protection) {
        FaultyStorage storage = new FaultyStorage(SEED);
        Database database = validated.track(open(storage, protection));
        Holder failure = new Holder();
        assertEquals(workload.stepCount(), run(database, 0, failure), () -> String.valueOf(failure.exception));
        assertEquals(workload.after(workload.stepCount()), CrashWorkload.read(database));
        validated.close(database);
        long changes = storage.changeCount();
        assertTrue(changes > 0);
        return changes;
    }

    @ParameterizedTest
    @EnumSource(names = {"DOUBLE_WRITE", "LOG_IMAGES"})
    void recoversFromACrashAtEveryWrite(TornPageProtection protection, TestReporter reporter) {
        long changes = changesOfWholeRun(protection);
        long stride = Math.max(1, changes / pointsMax(protection));
        int points = 0;
        int recoveriesStopped = 0;
        for (long at = 1; at <= changes; at += stride) {
            recoveriesStopped += crashAt(at, protection);
            points++;
        }
        reporter.publishEntry(Map.of(
                "changes", Long.toString(changes),
                "points", Integer.toString(points),
                "recoveriesStopped", Integer.toString(recoveriesStopped)));
        assertTrue(points > 0);
        assertTrue(recoveriesStopped > 0);
    }

    /** Returns how often the recovery was stopped as well. */
    private int crashAt(long change, TornPageProtection protection) {
        FaultyStorage storage = new FaultyStorage(SEED + change);
        Random random = new Random(change);
        storage.crashAtChange(change);
        int done = 0;
        Holder failure = new Holder();
        try {
            Database database = open(storage, protection);
            done = run(database, 0, failure);
            database.abandon();
        } catch (LockstepException e) {
            failure.exception = e;
        }
        String point = "crash at change " + change + " in " + workload.name(done);
        assertTrue(failure.exception == null || storage.isCrashed(), () -> point + ": " + failure.exception);
        storage.crash();
        int stopped = 0;
        while (stopped < STOPPED_RECOVERIES_MAX && random.nextInt(3) > 0) {
            if (!stopRecovery(storage, 1 + random.nextInt(40), either(random), point)) {
                break;
            }
            stopped++;
        }
        checkAndUse(storage, done, either(random), point + ", recoveries stopped=" + stopped);
        return stopped;
    }

    /** An open mends what it finds, however pages are protected from then on. */
    private static TornPageProtection either(Random random) {
        return random.nextBoolean() ? TornPageProtection.DOUBLE_WRITE : TornPageProtection.LOG_IMAGES;
    }

    /** Opens with a machine that stops at a change; false if the database was open before that. */
    private static boolean stopRecovery(
            FaultyStorage storage, long change, TornPageProtection protection, String point) {
        storage.crashAtChange(change);
        boolean stopped = true;
        try {
            open(storage, protection).abandon();
            stopped = storage.isCrashed();
        } catch (CorruptionException | TruncatedFileException | UnknownFormatException e) {
            throw new AssertionError(point + ": the recovery that is to be stopped failed by itself", e);
        } catch (LockstepException e) {
            assertTrue(storage.isCrashed(), () -> point + ": " + e);
        }
        storage.crash();
        return stopped;
    }

    /** Opens, compares, goes on with the workload, closes, opens and compares again. */
    private void checkAndUse(FaultyStorage storage, int done, TornPageProtection protection, String point) {
        int found;
        try {
            Database database = validated.track(open(storage, protection));
            found = stepsFound(database, done, point);
            int until = Math.min(workload.stepCount(), found + 2);
            for (int step = found; step < until; step++) {
                workload.apply(step, database);
            }
            found = until;
            validated.close(database);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(point, e);
        }
        try {
            Database database = validated.track(open(storage));
            assertEquals(workload.after(found), CrashWorkload.read(database), point);
            validated.close(database);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(point, e);
        }
    }

    /** Everything acknowledged is there, and of the step that was cut short all or nothing. */
    private int stepsFound(Database database, int done, String point) {
        CrashWorkload.State found = CrashWorkload.read(database);
        for (int steps = done; steps <= Math.min(done + 1, workload.stepCount()); steps++) {
            if (found.equals(workload.after(steps))) {
                return steps;
            }
        }
        assertEquals(workload.after(done), found, point);
        return fail(point);
    }

    @ParameterizedTest
    @EnumSource(names = {"DOUBLE_WRITE", "LOG_IMAGES"})
    void survivesAFailureOfEveryWrite(TornPageProtection protection, TestReporter reporter) {
        long changes = changesOfWholeRun(protection);
        long stride = Math.max(1, changes / pointsMax(protection));
        int point = 0;
        int failedOnce = 0;
        int failedOn = 0;
        for (long at = 1 + stride / 2; at <= changes; at += stride) {
            FaultyStorage storage = new FaultyStorage(SEED + at);
            boolean failsOn = point++ % 2 == 0;
            storage.failAtChange(at, failsOn);
            int noticed = survive(storage, protection, "failure at change " + at + ", failsOn=" + failsOn);
            failedOn += failsOn ? noticed : 0;
            failedOnce += failsOn ? 0 : noticed;
        }
        reporter.publishEntry(Map.of(
                "changes", Long.toString(changes),
                "noticedOnce", Integer.toString(failedOnce),
                "noticedOn", Integer.toString(failedOn)));
        assertTrue(failedOnce > 0);
        assertTrue(failedOn > 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"DOUBLE_WRITE", "LOG_IMAGES"})
    void survivesAFullDisk(TornPageProtection protection, TestReporter reporter) {
        FaultyStorage measured = new FaultyStorage(SEED);
        Database database = validated.track(open(measured, protection));
        run(database, 0, new Holder());
        validated.close(database);
        long bytes = measured.bytes();
        long stride = Math.max(FaultyStorage.SECTOR_BYTES, bytes / pointsMax(protection));
        int failed = 0;
        for (long limit = 0; limit < bytes; limit += stride) {
            FaultyStorage storage = new FaultyStorage(SEED + limit);
            storage.bytesMax(limit);
            failed += survive(storage, protection, "disk of " + limit + " bytes");
        }
        reporter.publishEntry(Map.of("bytes", Long.toString(bytes), "noticed", Integer.toString(failed)));
        assertTrue(failed > 0);
    }

    /**
     * Runs the whole workload over a failure that is mended when it is noticed: a database that is not marked failed
     * goes on, one that is gets reopened. Returns how often a failure was noticed.
     */
    private int survive(FaultyStorage storage, TornPageProtection protection, String point) {
        int noticed = 0;
        int done = 0;
        Database database = null;
        while (done < workload.stepCount()) {
            assertTrue(noticed <= FAILURES_MAX, point + ": it does not heal");
            String at = point + " in " + workload.name(done);
            Holder failure = new Holder();
            try {
                if (database == null) {
                    database = open(storage, protection);
                    done = stepsFound(database, done, at);
                }
                done = run(database, done, failure);
            } catch (LockstepException e) {
                failure.exception = e;
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(at, e);
            }
            if (failure.exception != null) {
                noticed++;
                storage.heal();
                try {
                    database = goOnOrClose(database, failure.exception, at);
                    done = database == null ? done : stepsFound(database, done, at);
                } catch (DatabaseFailedException e) {
                    // The database noticed a failure in the background just now.
                    closeAnyway(database);
                    database = null;
                }
            }
        }
        closeAnyway(database);
        storage.heal();
        checkAndUse(storage, done, protection, point);
        return noticed;
    }

    /** The database if it can still be used, else null after closing it. */
    private static Database goOnOrClose(Database database, LockstepException failure, String at) {
        if (database == null) {
            return null;
        }
        try {
            database.run(transaction -> assertTrue(transaction.isOpen()));
            return database;
        } catch (DatabaseFailedException e) {
            closeAnyway(database);
            return null;
        } catch (RuntimeException e) {
            e.addSuppressed(failure);
            throw new AssertionError(at, e);
        }
    }

    /** What a close cannot write, the next open recovers. */
    private static void closeAnyway(Database database) {
        try {
            database.close();
        } catch (StorageException | DiskFullException | DatabaseFailedException e) {
            assertFalse(e.getMessage().isEmpty());
        }
    }
}
