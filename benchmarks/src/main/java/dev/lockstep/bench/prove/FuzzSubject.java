package dev.lockstep.bench.prove;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.OtherStorage;
import java.nio.file.Path;
import java.util.Map;

/**
 * Opens damaged files, which lie in memory, and judges what comes of it. Nothing of one input is left for the next.
 * Used by one thread.
 */
final class FuzzSubject {
    /** Bytes that all files together may grow to: some times what they have. */
    private static final long FILES_BYTES_MAX = 64L << 20;

    /** From the place in the engine to its call. */
    private static final int FRAMES_TO_TELL = 12;

    private static final Path HOME = Path.of("/database");

    private final FuzzWorkload workload;
    private final DatabaseOptions options = FuzzProof.databaseOptions();
    private final LogOptions logOptions = LogOptions.sync()
            .withSegmentBytes(FuzzProof.LOG_SEGMENT_BYTES)
            .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);

    /** @param seed of the {@link FuzzWorkload} that made the database */
    FuzzSubject(long seed) {
        workload = new FuzzWorkload(seed);
    }

    /**
     * Opens and reads.
     *
     * @param files their contents by name
     * @param forged whether checksums were made right, so that the files may say anything
     * @return anything but {@link FuzzOutcome#FAILED}
     * @throws IllegalStateException if rows were read that were never committed together, or the files have grown
     *     beyond their limit
     * @throws RuntimeException as any other failure, which is one of the engine
     */
    FuzzOutcome judge(Map<String, byte[]> files, boolean forged) {
        MemoryFiles disk = new MemoryFiles(HOME, files, FILES_BYTES_MAX);
        FuzzOutcome outcome = openAndRead(disk, forged);
        if (disk.wasFull()) {
            throw new IllegalStateException("the files have grown: bytesMax=" + FILES_BYTES_MAX);
        }
        return outcome;
    }

    private FuzzOutcome openAndRead(MemoryFiles disk, boolean forged) {
        int state;
        try (Database database = OtherStorage.open(disk, HOME, options, logOptions)) {
            database.validate();
            state = workload.stateOf(database);
        } catch (LockstepException typed) {
            return FuzzOutcome.TYPED_ERROR;
        }
        if (state == FuzzWorkload.TRANSACTIONS) {
            return FuzzOutcome.CORRECT;
        }
        if (forged) {
            return FuzzOutcome.OTHER_CONTENTS;
        }
        if (state == FuzzWorkload.UNKNOWN_STATE) {
            throw new IllegalStateException("rows were read that were never committed together");
        }
        return FuzzOutcome.EARLIER;
    }

    /** A failure in one line: what, where, and its cause. */
    static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder(failure.toString());
        StackTraceElement[] trace = failure.getStackTrace();
        for (int i = 0; i < Math.min(trace.length, FRAMES_TO_TELL); i++) {
            text.append(" at ").append(trace[i]);
        }
        if (failure.getCause() != null) {
            text.append(" caused by ").append(failure.getCause());
        }
        return text.toString();
    }
}
