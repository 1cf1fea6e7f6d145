package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.MissingFileException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TruncatedFileException;
import dev.lockstep.engine.UnknownFormatException;
import java.util.List;
import java.util.Random;

/** Lets one operation of a recorded run meet one fault, opens what is left, and looks at it. Keeps nothing. */
final class Trial {
    /** Recoveries that are cut short in turn before one may run through. */
    private static final int STOPPED_RECOVERIES_MAX = 3;

    /** A recovery of these databases takes some dozens of operations. */
    private static final int RECOVERY_OPERATIONS = 60;

    /** How often a database that was opened after a crash is also used on and closed. */
    private static final int ONE_IN_USED_ON = 4;

    /** How far behind a fault of the medium the machine stops, mostly: two checkpoints or so. */
    private static final int NEAR_OPERATIONS = 120;

    /** Failures that one fault may cause: in the step that meets it, and in the background. */
    private static final int FAILURES_MAX = 6;

    /** Steps after a failure was noticed, so that what it left behind shows. */
    private static final int STEPS_AFTERWARDS = 3;

    /** Of the page file and the double-write area. */
    private static final int PAGE_BYTES = 8_192;

    /** What came of a point that went as it has to. */
    enum Outcome {
        /** Everything is there. */
        SURVIVED,
        /** A typed error says that the medium has lost or changed something. */
        DETECTED,
        /** The operation was another than in the recorded run; everything is there. */
        DRIFTED
    }

    private final Recording recording;
    private final Workload workload;
    private final int operation;
    private final Fault fault;
    private final Random random;

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
     * @throws MismatchException if the database holds what it must not
     * @throws LockstepException if it cannot be opened or read, though it must
     */
    Outcome run(DiskImage before) {
        return switch (fault.kind()) {
            case CRASH -> crash(before);
            case MEDIUM -> damage(before.copy());
            case ERROR -> fail();
        };
    }

    private Outcome crash(DiskImage before) {
        DiskImage after = before.afterCrash(fault, recording.operations().get(operation), random);
        if (fault == Fault.CRASH_IN_RECOVERY) {
            int stops = 1 + random.nextInt(STOPPED_RECOVERIES_MAX);
            for (int i = 0; i < stops; i++) {
                after = stopRecovery(after);
            }
        }
        int done = recording.stepsDoneBefore(operation);
        check(after, done, done + 1, random.nextInt(ONE_IN_USED_ON) == 0);
        return Outcome.SURVIVED;
    }

    private DiskImage stopRecovery(DiskImage image) {
        SimulatedDisk disk = new SimulatedDisk(image, false);
        disk.plan(random.nextInt(RECOVERY_OPERATIONS), Fault.TORN, random);
        try (Host host = new Host(disk)) {
            host.open();
        } catch (LockstepException e) {
            if (disk.faultMet() == null) {
                throw e;
            }
        }
        return disk.afterCrash(Fault.TORN, random);
    }

    /** Opens, compares, and now and then goes on, closes, opens and compares again. Returns the steps found. */
    private int check(DiskImage image, int stepsMin, int stepsMax, boolean usesOn) {
        SimulatedDisk disk = new SimulatedDisk(image, false);
        try (Host host = new Host(disk)) {
            host.open();
            int found = workload.stepsFound(host.database(), stepsMin, stepsMax);
            if (usesOn) {
                int next = Math.max(found, 1);
                if (next < workload.stepCount()) {
                    workload.apply(next, host);
                    found = next + 1;
                }
                host.closeDatabase();
                host.open();
                workload.stepsFound(host.database(), found, found);
            }
            return found;
        }
    }

    private Outcome damage(DiskImage image) {
        List<DiskOperation> operations = recording.operations();
        DiskOperation damaged = operations.get(operation);
        if (fault == Fault.MISDIRECTED) {
            image.apply(damaged.at(
                    otherPosition(damaged, image.bytes(damaged.file()).sizeBytes())));
        }
        int left = operations.size() - operation - 1;
        int more = random.nextInt(4) == 0 ? left : Math.min(left, random.nextInt(NEAR_OPERATIONS));
        for (int i = operation + 1; i <= operation + more; i++) {
            image.apply(operations.get(i));
        }
        DiskImage after = image.afterCrash(random.nextBoolean() ? Fault.DROPPED : Fault.KEPT, null, random);
        int done = recording.stepsDoneBefore(operation + more + 1L);
        // What the log has lost at its end nobody can miss: it opens as the earlier state.
        boolean isLog = damaged.fileKind().equals("log");
        try {
            check(after, isLog ? 0 : done, done + 1, false);
            return Outcome.SURVIVED;
        } catch (CorruptionException | TruncatedFileException | UnknownFormatException | MissingFileException e) {
            return Outcome.DETECTED;
        }
    }

    /** Another place of the file, as far away as a wrong bit of an address makes it, in pages or sectors. */
    private long otherPosition(DiskOperation write, long sizeBytes) {
        int unit = write.position() % PAGE_BYTES == 0 ? PAGE_BYTES : DiskImage.SECTOR_BYTES;
        long units = Math.max(2, (sizeBytes + unit - 1) / unit);
        long own = write.position() / unit;
        long other = random.nextInt((int) units);
        return (other == own ? (own + 1) % units : other) * unit + write.position() % unit;
    }

    /** Runs the workload on a disk that fails, mends it when that is noticed, goes on, and ends with a crash. */
    private Outcome fail() {
        SimulatedDisk disk = new SimulatedDisk(workload.before(), false);
        disk.plan(operation, fault, random);
        int done = 0;
        int noticed = 0;
        int end = workload.stepCount();
        try (Host host = new Host(disk)) {
            // Ends because each turn takes a step or notices a failure, of which there are few.
            while (done < end) {
                try {
                    if (done > 0 && !host.isOpen()) {
                        host.open();
                        done = Math.max(1, workload.stepsFound(host.database(), done, done + 1));
                    } else {
                        workload.apply(done, host);
                        done++;
                    }
                } catch (StorageException | DiskFullException | DatabaseFailedException e) {
                    if (++noticed > FAILURES_MAX) {
                        throw e;
                    }
                    disk.heal();
                    done = goOnOrEnd(host, done);
                    end = Math.min(end, done + STEPS_AFTERWARDS);
                }
            }
        }
        DiskOperation met = disk.faultMet();
        boolean isSame = met != null && met.isLike(recording.operations().get(operation));
        check(disk.afterCrash(Fault.TORN, random), done, done, true);
        return isSame ? Outcome.SURVIVED : Outcome.DRIFTED;
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
