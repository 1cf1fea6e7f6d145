package dev.lockstep.bench.prove;

import dev.lockstep.bench.process.ChildJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;

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
        ChildJvm.endWithParent();
        new FuzzChild(Long.parseLong(arguments[1]))
                .work(Path.of(arguments[0]), Long.parseLong(arguments[2]), Long.parseLong(arguments[3]));
    }

    private void work(Path images, long from, long to) throws IOException {
        SortedMap<String, byte[]> closed = FuzzMutator.read(images.resolve(FuzzProof.CLOSED));
        SortedMap<String, byte[]> abandoned = FuzzMutator.read(images.resolve(FuzzProof.LEFT));
        List<FuzzMutator> mutators = List.of(new FuzzMutator(closed), new FuzzMutator(abandoned));
        FuzzSubject subject = new FuzzSubject(seed, closed, abandoned);
        for (long point = from; point < to; point++) {
            Random random = FuzzProof.random(seed, point);
            // First numbers of neighbouring seeds agree: hundreds of points in a row would take the same database.
            boolean left = random.nextBoolean() ^ (point % 2 != 0);
            FuzzMutator.Input input = mutators.get(left ? 1 : 0).next(random);
            String image = left ? FuzzProof.LEFT : FuzzProof.CLOSED;
            say(point, BEGINS, 0, input, image + " database: " + input.description());
            FuzzVerdict verdict = subject.judge(input.files(), input.forged());
            say(point, verdict.outcome().ordinal(), verdict.nativeBytes(), input, verdict.words());
        }
    }

    private void say(long point, int outcome, long nativeBytes, FuzzMutator.Input input, String words) {
        byte[] text = words.substring(0, Math.min(words.length(), WORDS_MAX)).getBytes(StandardCharsets.UTF_8);
        int mutators = 0;
        for (FuzzMutator.Mutator mutator : input.mutators()) {
            mutators |= 1 << mutator.ordinal();
        }
        frames.say(ByteBuffer.allocate(2 * Long.BYTES + 2 * Integer.BYTES + text.length)
                .putLong(point)
                .putInt(outcome)
                .putLong(nativeBytes)
                .putInt(mutators)
                .put(text)
                .flip());
    }
}
