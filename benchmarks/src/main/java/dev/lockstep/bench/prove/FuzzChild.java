package dev.lockstep.bench.prove;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * The process that opens what {@link FuzzMutator} makes: an input may take it down without taking down the proof.
 * Before each input it says its number, after it what came of it.
 */
final class FuzzChild {
    /** Stands in the place of an outcome: the input begins. */
    static final int BEGINS = -1;

    private static final int WORDS_MAX = 3_000;

    private final KilledJvmFrames frames = new KilledJvmFrames();
    private final long seed;

    private FuzzChild(long seed) {
        this.seed = seed;
    }

    /** Arguments: directory of the images, seed, first point, end of the points. */
    public static void main(String[] arguments) throws IOException {
        new FuzzChild(Long.parseLong(arguments[1]))
                .work(Path.of(arguments[0]), Long.parseLong(arguments[2]), Long.parseLong(arguments[3]));
    }

    private void work(Path images, long from, long to) throws IOException {
        List<FuzzMutator> mutators = List.of(
                new FuzzMutator(FuzzMutator.read(images.resolve(FuzzProof.CLOSED))),
                new FuzzMutator(FuzzMutator.read(images.resolve(FuzzProof.LEFT))));
        FuzzSubject subject = new FuzzSubject(seed);
        for (long point = from; point < to; point++) {
            Random random = FuzzProof.random(seed, point);
            boolean left = random.nextBoolean();
            FuzzMutator.Input input = mutators.get(left ? 1 : 0).next(random);
            String image = left ? FuzzProof.LEFT : FuzzProof.CLOSED;
            say(point, BEGINS, input, image + " database: " + input.description());
            try {
                say(point, subject.judge(input.files(), input.forged()).ordinal(), input, "");
            } catch (Throwable e) {
                say(point, FuzzOutcome.FAILED.ordinal(), input, FuzzSubject.describe(e));
            }
        }
    }

    private void say(long point, int outcome, FuzzMutator.Input input, String words) {
        byte[] text = words.substring(0, Math.min(words.length(), WORDS_MAX)).getBytes(StandardCharsets.UTF_8);
        int mutators = 0;
        for (FuzzMutator.Mutator mutator : input.mutators()) {
            mutators |= 1 << mutator.ordinal();
        }
        frames.say(ByteBuffer.allocate(Long.BYTES + 2 * Integer.BYTES + text.length)
                .putLong(point)
                .putInt(outcome)
                .putInt(mutators)
                .put(text)
                .flip());
    }
}
