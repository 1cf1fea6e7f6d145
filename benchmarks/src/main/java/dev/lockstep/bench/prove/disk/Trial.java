package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.DatabaseStatus;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TruncatedFileException;
import dev.lockstep.engine.UnknownFormatException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.IntPredicate;

/** Lets one operation of a recorded run meet one fault, opens what is left, and looks at it. Keeps nothing. */
final class Trial {
    /** Recoveries that are cut short in turn before one may run through. */
    private static final int STOPPED_RECOVERIES_MAX = 3;

    /**
     * Openings of one image until one is stopped: the one whose operations are counted, which is not, and then hardly
     * ever more than one. A stop misses only where it is planned at an operation of a thread that the opening does not
     * wait for, or at one of the last, of which there may be fewer than before.
     */
    private static final int OPENINGS_MAX = 12;

    /** How the machine stops during a recovery. */
    private static final List<Fault> STOPS = List.of(
            Fault.TORN, Fault.DROPPED, Fault.KEPT, Fault.REORDERED, Fault.ENTRIES_LOST, Fault.ENTRIES_REORDERED);

    /** How often a database that was opened after a crash is also used on and closed. */
    private static final int ONE_IN_USED_ON = 4;

    /** How often the last copy is looked at where nothing was done to it. */
    private static final int ONE_IN_COPIES = 8;

    /** How far behind a fault of the medium the machine stops, mostly: two checkpoints or so. */
    private static final int NEAR_OPERATIONS = 120;

    /** Runs of a point until one is as the recorded run was: a thousand were but for one, on a busy machine. */
    private static final int RUNS_MAX = 5;

    /** Failures that one fault may cause: in the step that meets it, and in the background. */
    private static final int FAILURES_MAX = 6;

    /** Steps after a failure was noticed, so that what it left behind shows. */
    private static final int STEPS_AFTERWARDS = 3;

    /** What came of a point that went as it has to. */
    enum Outcome {
        /** Everything is there. */
        SURVIVED,
        /** A typed error says that the medium has lost or changed something. */
        DETECTED,
        /** The log has lost its end, which nobody can miss, and the database is as it was before. */
        EARLIER
    }

    private final Recording recording;
    private final Workload workload;
    private final int operation;
    private final Fault fault;
    private final Random random;
    private int recoveriesCutShort;
    private Damage damage;

    /**
     * Prepares a trial.
     *
     * @param operation which one meets the fault
     * @param seed of what the fault leaves to chance
     */
    Trial(Recording recording, int operation, Fault fault, long seed) {
        this.recording = recording;
        workload = recording.workload();
        this.operation = operation;
        this.fault = fault;
        random = new Random(seed);
    }

    /**
     * Tries it.
     *
     * @param before what is on the disk before the operation, unchanged by this
     * @param atStart what is on it when the process starts that does the operation, unchanged by this
     * @throws MismatchException if the database holds what it must not
     * @throws LockstepException if it cannot be opened or read, though it must
     */
    Outcome run(DiskImage before, DiskImage atStart) {
        return switch (fault.kind()) {
            case CRASH -> crash(before);
            case MEDIUM -> damage(before.copy());
            case ERROR -> failAsRecorded(atStart);
        };
    }

    /** What the medium did, if that was the fault, and what had to come of it; null before it was tried. */
    Damage damageOrNull() {
        return damage;
    }

    /** How many openings the machine has stopped in. */
    int recoveriesCutShort() {
        return recoveriesCutShort;
    }

    private Host host(SimulatedDisk disk) {
        return new Host(disk, workload, recording.flaw());
    }

    private Outcome crash(DiskImage before) {
        DiskImage after = before.afterCrash(fault, recording.operations().get(operation), random);
        LogModel log = recording.log();
        if (fault == Fault.CRASH_IN_RECOVERY) {
            int stops = 1 + random.nextInt(STOPPED_RECOVERIES_MAX);
            for (int i = 0; i < stops; i++) {
                Fault stop = STOPS.get(random.nextInt(STOPS.size()));
                SimulatedDisk stopped = stopRecovery(after, stop);
                after = stopped.afterCrash(stop, random);
                log = log.with(stopped.noted());
            }
        }
        int done = recording.stepsDoneBefore(operation);
        SimulatedDisk disk = new SimulatedDisk(after, false);
        check(disk, log, done, done + 1, random.nextInt(ONE_IN_USED_ON) == 0);
        checkCopies(disk, done, step -> step < done, false);
        return Outcome.SURVIVED;
    }

    /**
     * Opens a database on a machine that stops before the opening is done, and returns the disk as it was then. How
     * many operations an opening has is known when it has come to its end, as the first one does. Each further one
     * begins with the same image, and stops at any of the operations of the one before.
     *
     * @param image unchanged by this
     * @throws OtherRunException if none of {@link #OPENINGS_MAX} openings was stopped
     */
    private SimulatedDisk stopRecovery(DiskImage image, Fault stop) {
        int operations = 0;
        for (int opening = 0; opening < OPENINGS_MAX; opening++) {
            SimulatedDisk disk = new SimulatedDisk(image.copy(), true);
            if (operations > 0) {
                disk.plan(random.nextInt(operations), stop, random);
            }
            try (Host host = host(disk)) {
                host.open();
                operations = Math.toIntExact(disk.operationCount());
            } catch (LockstepException e) {
                if (disk.faultMet() == null) {
                    throw e;
                }
                recoveriesCutShort++;
                return disk;
            }
        }
        throw new OtherRunException(
                "no recovery could be cut short: openings=" + OPENINGS_MAX + " operations=" + operations);
    }

    /** Opens, compares, and now and then goes on, closes, opens and compares again. */
    private void check(SimulatedDisk disk, LogModel log, int stepsMin, int stepsMax, boolean usesOn) {
        try (Host host = host(disk)) {
            openAtEnd(host, log);
            int found = workload.stepsFound(host.database(), stepsMin, stepsMax);
            if (usesOn) {
                useOn(host, found);
            }
        }
    }

    /** Opens, and returns where the log ended, as the database says and the model; the end of time without recovery. */
    private static long openAtEnd(Host host, LogModel log) {
        OptionalLong endLsn = host.disk().logEndLsn(log);
        long provenLsn = host.disk().provenLsn(log);
        host.open();
        DatabaseStatus.RecoveryStatus recovery = host.database().status().recovery();
        if (!recovery.wasNeeded()) {
            return Long.MAX_VALUE;
        }
        if (endLsn.isEmpty() || endLsn.getAsLong() != recovery.endLsn()) {
            throw new MismatchException("the log does not end where the database says that it did: endLsn="
                    + recovery.endLsn() + " expected=" + endLsn);
        }
        if (recovery.endLsn() < provenLsn) {
            throw new MismatchException("the log ends before where it was known to be durable: endLsn="
                    + recovery.endLsn() + " provenLsn=" + provenLsn);
        }
        return recovery.endLsn();
    }

    /**
     * Opens a database whose log may have lost its end, which nobody can miss: it is as after the last transaction of
     * which the log still has the commit. Returns the steps found.
     */
    private int checkEarlier(SimulatedDisk disk, int done) {
        try (Host host = host(disk)) {
            long endLsn = openAtEnd(host, recording.log());
            int logged = recording.stepsLoggedBefore(endLsn);
            return workload.stepsFound(host.database(), Math.min(logged, done), Math.min(logged, done) + 1);
        }
    }

    private void useOn(Host host, int found) {
        int next = Math.max(found, 1);
        int after = found;
        if (next < workload.stepCount() && !workload.opens(next)) {
            workload.apply(next, host);
            after = next + 1;
        }
        if (host.isOpen()) {
            host.closeDatabase();
        }
        host.open();
        workload.stepsFound(host.database(), after, after);
    }

    /**
     * Looks at the last copy that was finished, and at one that was under way: a copy is refused or it is whole.
     *
     * @param done steps that have returned
     * @param isFinished of which steps somebody was told that the copy is finished: it must not be refused
     * @param mayBeDamaged whether the fault was in it: it may be refused all the same
     */
    private void checkCopies(SimulatedDisk disk, int done, IntPredicate isFinished, boolean mayBeDamaged) {
        boolean isConcerned = !recording.operations().get(operation).path().startsWith(Host.HOME);
        if (!isConcerned && random.nextInt(ONE_IN_COPIES) != 0) {
            return;
        }
        for (int step = Math.min(done, workload.stepCount() - 1); step >= 0; step--) {
            Path copy = workload.copyOrNull(step);
            if (copy != null && disk.exists(copy)) {
                checkCopy(disk, step, isFinished.test(step) && !mayBeDamaged);
            }
            if (copy != null && isFinished.test(step)) {
                return;
            }
        }
    }

    private void checkCopy(SimulatedDisk disk, int step, boolean mustOpen) {
        try (Host host = new Host(disk, workload.copyOrNull(step), workload.tornPageProtection(), recording.flaw())) {
            host.open();
            workload.stepsFound(host.database(), step + 1, step + 1);
        } catch (LockstepException e) {
            if (mustOpen) {
                throw new MismatchException("a finished copy is refused: " + workload.describe(step), e);
            }
        }
    }

    private Outcome damage(DiskImage image) {
        List<DiskOperation> operations = recording.operations();
        DiskOperation damaged = operations.get(operation);
        long sizeBytes = image.bytes(damaged.file()).sizeBytes();
        Place otherOrNull = fault == Fault.MISDIRECTED ? Place.elsewhere(damaged, image, random) : null;
        if (otherOrNull != null && otherOrNull.file() == damaged.file()) {
            image.apply(damaged.at(otherOrNull.position()));
        } else if (otherOrNull != null) {
            image.overwrite(otherOrNull.file(), otherOrNull.position(), damaged.data());
        }
        // A process that starts later would see the damage.
        int left = recording.endOfProcess(operation) - operation - 1;
        int more = random.nextInt(4) == 0 ? left : Math.min(left, random.nextInt(NEAR_OPERATIONS));
        int last = operation + more;
        for (int i = operation + 1; i <= last; i++) {
            image.apply(operations.get(i));
        }
        DiskImage after = image.afterCrash(random.nextBoolean() ? Fault.DROPPED : Fault.KEPT, null, random);
        damage = new Damage(operations, operation, last, sizeBytes, otherOrNull, workload.tornPageProtection());
        int done = recording.stepsDoneBefore(last + 1L);
        boolean isCopy = damage.zone() == Zone.COPY;
        SimulatedDisk disk = new SimulatedDisk(after, false);
        Outcome outcome;
        try {
            outcome = Outcome.SURVIVED;
            if (!damage.mayEndEarlier()) {
                check(disk, recording.log(), done, done + 1, false);
            } else if (checkEarlier(disk, done) < done) {
                outcome = Outcome.EARLIER;
            }
        } catch (CorruptionException | TruncatedFileException | UnknownFormatException | MissingFileException e) {
            if (damage.mustBeSurvived()) {
                throw new MismatchException(
                        "damage to the " + damage.title() + " that must be survived is not: " + e.getMessage(), e);
            }
            outcome = Outcome.DETECTED;
        }
        if (isCopy) {
            checkCopies(disk, done, step -> step < done, true);
        }
        return outcome;
    }

    /** The engine's threads may take turns otherwise than in the recorded run, though hardly ever: then once more. */
    private Outcome failAsRecorded(DiskImage atStart) {
        // Ends with an outcome, or with the last attempt.
        for (int attempt = 1; ; attempt++) {
            try {
                return fail(atStart.copy());
            } catch (OtherRunException other) {
                if (attempt == RUNS_MAX) {
                    throw other;
                }
            }
        }
    }

    /**
     * Runs the workload on a disk that fails, from the start of the process on; mends the disk when the failure was
     * noticed, goes on, and ends with a crash.
     */
    private Outcome fail(DiskImage atStart) {
        Recording.Start start = recording.startBefore(operation);
        SimulatedDisk disk = new SimulatedDisk(atStart, true);
        disk.follow(recording.operations(), start.operation());
        disk.plan(operation, fault, random);
        try (Host host = host(disk)) {
            int done = failAndGoOn(host, start.step());
            requireFault(disk);
            SimulatedDisk after = new SimulatedDisk(disk.afterCrash(Fault.TORN, random), false);
            check(after, recording.log().with(disk.noted()), done, done, true);
            checkCopies(after, done, step -> step < start.step() || host.hasCopied(workload.copyOrNull(step)), false);
        }
        return Outcome.SURVIVED;
    }

    /** Returns the steps that were taken. */
    private int failAndGoOn(Host host, int from) {
        int done = from;
        int noticed = 0;
        int end = workload.stepCount();
        // Ends because each turn takes a step or notices a failure, of which there are few.
        while (done < end) {
            try {
                if (host.isOpen() || workload.opens(done)) {
                    workload.apply(done, host);
                    done++;
                } else {
                    host.open();
                    done = workload.stepsFound(host.database(), done, done + 1);
                }
            } catch (StorageException | DiskFullException | DatabaseFailedException e) {
                if (++noticed > FAILURES_MAX) {
                    throw e;
                }
                if (noticed == 1 && fault.lasts()) {
                    tryAllTheSame(host, done);
                }
                host.disk().heal();
                done = goOnOrEnd(host, done);
                end = Math.min(end, done + STEPS_AFTERWARDS);
            }
        }
        return done;
    }

    /** The operation that met the fault was the one of the recorded run, and so were all before it. */
    private void requireFault(SimulatedDisk disk) {
        if (disk.driftOrNull() != null) {
            throw new OtherRunException(
                    "the workload did something else than in the recorded run: " + disk.driftOrNull());
        }
        if (disk.faultMet() == null) {
            throw new MismatchException("the workload did less than in the recorded run: operation=" + operation);
        }
    }

    /** On a disk that stays broken the database may answer or refuse; it must not answer wrongly. */
    private void tryAllTheSame(Host host, int done) {
        if (host.isOpen() && done > 0) {
            tolerate(() -> workload.stepsFound(host.database(), done, done + 1));
        }
        host.kill();
        for (Runnable opening : List.<Runnable>of(host::open, host::openReadOnly)) {
            tolerate(() -> {
                opening.run();
                workload.stepsFound(host.database(), done, done + 1);
            });
            host.kill();
        }
    }

    private static void tolerate(Runnable attempt) {
        try {
            attempt.run();
        } catch (LockstepException e) {
            // Said by a typed error: what counts is what is there afterwards.
            return;
        }
    }

    /** Uses the database on if it still works, else ends the process; returns the steps that were taken. */
    private int goOnOrEnd(Host host, int done) {
        if (!host.isOpen() || done == 0) {
            host.kill();
            return done;
        }
        Database database = host.database();
        try {
            database.run(transaction -> {});
            return workload.stepsFound(database, done, done + 1);
        } catch (DatabaseFailedException e) {
            host.kill();
            return done;
        }
    }
}
