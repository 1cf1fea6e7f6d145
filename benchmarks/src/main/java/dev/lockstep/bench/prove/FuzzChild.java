package dev.lockstep.bench.prove;

import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.LockstepException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The process that opens what {@link FuzzMutator} makes: an input may take it down without taking down the proof.
 * Before each input it says its number, after it what came of it.
 */
final class FuzzChild {
    /** What came of an input. */
    enum Outcome {
        /** Begins. */
        BEGINS,
        /** A typed error. */
        TYPED_ERROR,
        /** All that was committed was read. */
        CORRECT,
        /** What was committed up to some transaction was read. */
        EARLIER,
        /** Checksums were made right, so that other contents are what the file says; it was read without harm. */
        OTHER_CONTENTS,
        /** It must not be. */
        FAILED
    }

    /** Bytes that all files together may grow to: some times what they have. */
    private static final long FILES_BYTES_MAX = 64L << 20;

    private static final int WORDS_MAX = 3_000;

    private final KilledJvmFrames frames = new KilledJvmFrames();
    private final FuzzWorkload workload;
    private final long seed;
    private final Path directory;

    private FuzzChild(long seed, Path directory) {
        this.seed = seed;
        this.directory = directory;
        workload = new FuzzWorkload(seed);
    }

    /** Arguments: directory of the images, directory to work in, seed, first point, end of the points. */
    public static void main(String[] arguments) throws IOException {
        long seed = Long.parseLong(arguments[2]);
        new FuzzChild(seed, Path.of(arguments[1]))
                .work(Path.of(arguments[0]), Long.parseLong(arguments[3]), Long.parseLong(arguments[4]));
    }

    private void work(Path images, long from, long to) throws IOException {
        List<FuzzMutator> mutators = List.of(
                new FuzzMutator(FuzzMutator.read(images.resolve(FuzzProof.CLOSED))),
                new FuzzMutator(FuzzMutator.read(images.resolve(FuzzProof.LEFT))));
        for (long point = from; point < to; point++) {
            Random random = FuzzProof.random(seed, point);
            boolean left = random.nextBoolean();
            FuzzMutator.Input input = mutators.get(left ? 1 : 0).next(random);
            String image = left ? FuzzProof.LEFT : FuzzProof.CLOSED;
            say(point, Outcome.BEGINS, image + " database: " + input.description());
            write(input);
            String failure = "";
            Outcome outcome;
            try {
                outcome = outcome(input.forged());
            } catch (LockstepException e) {
                outcome = Outcome.TYPED_ERROR;
            } catch (Throwable e) {
                outcome = Outcome.FAILED;
                failure = describe(e);
            }
            say(point, outcome, failure);
        }
    }

    private void write(FuzzMutator.Input input) throws IOException {
        ScratchDirectory.remove(directory);
        Files.createDirectory(directory);
        for (Map.Entry<String, byte[]> file : input.files().entrySet()) {
            Files.write(directory.resolve(file.getKey()), file.getValue());
        }
    }

    private Outcome outcome(boolean forged) throws IOException {
        int state;
        try (Database database = Database.open(directory, FuzzProof.databaseOptions())) {
            database.validate();
            state = workload.stateOf(database);
        }
        long bytes = 0;
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                bytes += Files.size(file);
            }
        }
        if (bytes > FILES_BYTES_MAX) {
            throw new IllegalStateException("the files have grown: bytes=" + bytes + " bytesMax=" + FILES_BYTES_MAX);
        }
        if (state == FuzzWorkload.TRANSACTIONS) {
            return Outcome.CORRECT;
        }
        if (forged) {
            return Outcome.OTHER_CONTENTS;
        }
        if (state == FuzzWorkload.UNKNOWN_STATE) {
            throw new IllegalStateException("rows were read that were never committed together");
        }
        return Outcome.EARLIER;
    }

    private static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder(failure.toString());
        StackTraceElement[] trace = failure.getStackTrace();
        for (int i = 0; i < Math.min(trace.length, 12); i++) {
            text.append(" at ").append(trace[i]);
        }
        if (failure.getCause() != null) {
            text.append(" caused by ").append(failure.getCause());
        }
        return text.toString();
    }

    private void say(long point, Outcome outcome, String words) {
        byte[] text = words.substring(0, Math.min(words.length(), WORDS_MAX)).getBytes(StandardCharsets.UTF_8);
        frames.say(ByteBuffer.allocate(Long.BYTES + Integer.BYTES + text.length)
                .putLong(point)
                .putInt(outcome.ordinal())
                .put(text)
                .flip());
    }
}
