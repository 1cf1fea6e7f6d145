package dev.lockstep.bench.prove;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.OtherStorage;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Opens damaged files, which lie in memory, and judges what comes of it. Nothing of one input is left for the next.
 * Used by one thread.
 */
final class FuzzSubject {
    /** Bytes that all files together may grow to: some times what they have. */
    private static final long FILES_BYTES_MAX = 64L << 20;

    /** From the place in the engine to its call. */
    private static final int FRAMES_TO_TELL = 12;

    /** A typed error, what it was made of, and what that was made of. */
    private static final int CAUSES_TO_TELL = 3;

    /** Times that the undamaged database is read first: what is loaded once for all inputs is charged to none. */
    private static final int WARM_UPS = 3;

    private static final String LOG_PREFIX = "log-";

    private static final Path HOME = Path.of("/database");

    private final FuzzWorkload workload;
    private final DatabaseOptions options = FuzzProof.databaseOptions();
    private final LogOptions logOptions = LogOptions.sync()
            .withSegmentBytes(FuzzProof.LOG_SEGMENT_BYTES)
            .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
    private final List<Map<String, byte[]>> images;
    private final FuzzMemory memory;

    /**
     * Reads the undamaged database some times.
     *
     * @param seed of the {@link FuzzWorkload} that made the database
     * @param closed its files by name, as it was closed in order
     * @param left its files by name, as it was left
     * @throws IllegalStateException if they do not say all that was committed
     */
    FuzzSubject(long seed, Map<String, byte[]> closed, Map<String, byte[]> left) {
        workload = new FuzzWorkload(seed);
        images = List.of(closed, left);
        for (int i = 0; i < WARM_UPS; i++) {
            FuzzOutcome outcome = outcomeOf(closed, false);
            if (outcome != FuzzOutcome.CORRECT) {
                throw new IllegalStateException("the undamaged database is not read: outcome=" + outcome.title());
            }
        }
        memory = new FuzzMemory();
    }

    /**
     * Opens and reads, and judges: {@link FuzzOutcome#FAILED} if rows were read that were never committed together, an
     * earlier state was read though the log was whole, which leads back to the last one, the files have grown beyond
     * their limit, there was an error without a type or one inside of a typed one, or the memory outside of the heap
     * went beyond its limit.
     *
     * @param files their contents by name
     * @param forged whether checksums were made right, so that the files may say anything
     */
    FuzzVerdict judge(Map<String, byte[]> files, boolean forged) {
        memory.begins();
        FuzzOutcome outcome;
        String words = "";
        try {
            outcome = outcomeOf(files, forged);
        } catch (Throwable e) {
            outcome = FuzzOutcome.FAILED;
            words = describe(e);
        }
        return FuzzVerdict.of(outcome, memory.takenBytes(), words);
    }

    private FuzzOutcome outcomeOf(Map<String, byte[]> files, boolean forged) {
        MemoryFiles disk = new MemoryFiles(HOME, files, FILES_BYTES_MAX);
        FuzzOutcome outcome = openAndRead(disk, files, forged);
        if (disk.wasFull()) {
            throw new IllegalStateException("the files have grown: bytesMax=" + FILES_BYTES_MAX);
        }
        return outcome;
    }

    private FuzzOutcome openAndRead(MemoryFiles disk, Map<String, byte[]> files, boolean forged) {
        boolean logWhole = images.stream().anyMatch(image -> haveTheSameLog(image, files));
        int state;
        try (Database database = OtherStorage.open(disk, HOME, options, logOptions)) {
            database.validate();
            state = workload.stateOf(database);
        } catch (LockstepException typed) {
            untypedPart(typed).ifPresent(untyped -> {
                throw new IllegalStateException("an error without a type is inside of a typed one: " + typed, untyped);
            });
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
        if (logWhole) {
            throw new IllegalStateException("an earlier state was read though the log is whole: transactions=" + state);
        }
        return FuzzOutcome.EARLIER;
    }

    private static boolean haveTheSameLog(Map<String, byte[]> one, Map<String, byte[]> other) {
        return Stream.concat(one.keySet().stream(), other.keySet().stream())
                .filter(name -> name.startsWith(LOG_PREFIX))
                .allMatch(name -> Arrays.equals(one.get(name), other.get(name)));
    }

    /**
     * What of a typed error has no type. The engine's threads hand on whatever ends them as the cause of a typed error,
     * a failed assertion too, so that the type of the outermost says nothing. Causes and suppressed ones are looked at,
     * and those of those.
     *
     * <p>A type have errors of Lockstep and the {@link IOException}s of a disk; and {@link CorruptionException}s are
     * made of what a read met that ran beyond a page, a record or a definition, on purpose: no check of its own says
     * that as surely.
     *
     * @return the first that was found
     */
    static Optional<Throwable> untypedPart(LockstepException typed) {
        Set<Throwable> seen = new HashSet<>();
        Deque<Throwable> open = new ArrayDeque<>();
        open.add(typed);
        // Ends because each is looked at once.
        while (!open.isEmpty()) {
            Throwable failure = open.remove();
            if (seen.add(failure)) {
                Throwable cause = failure.getCause();
                if (cause != null) {
                    if (!isTyped(cause) && !(failure instanceof CorruptionException && isMisfit(cause))) {
                        return Optional.of(cause);
                    }
                    open.add(cause);
                }
                for (Throwable suppressed : failure.getSuppressed()) {
                    if (!isTyped(suppressed)) {
                        return Optional.of(suppressed);
                    }
                    open.add(suppressed);
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isTyped(Throwable failure) {
        return failure instanceof LockstepException || failure instanceof IOException;
    }

    /** What the engine makes a {@link CorruptionException} of where bytes lead beyond what they are part of. */
    private static boolean isMisfit(Throwable failure) {
        return failure instanceof IndexOutOfBoundsException
                || failure instanceof IllegalArgumentException
                || failure instanceof NegativeArraySizeException
                || failure instanceof BufferUnderflowException;
    }

    /** A failure in one line: what, where, and its causes. */
    static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder();
        Throwable told = failure;
        for (int i = 0; i < CAUSES_TO_TELL && told != null; i++) {
            text.append(i == 0 ? "" : " caused by ").append(told);
            StackTraceElement[] trace = told.getStackTrace();
            for (int frame = 0; frame < Math.min(trace.length, FRAMES_TO_TELL); frame++) {
                text.append(" at ").append(trace[frame]);
            }
            told = told.getCause();
        }
        return text.toString();
    }
}
