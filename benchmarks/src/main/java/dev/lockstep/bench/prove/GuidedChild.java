package dev.lockstep.bench.prove;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What the coverage-guided fuzzer calls, in a process of its own. Like {@link FuzzChild} it says before each input that
 * it begins, and after it what came of it; the input itself is in a file meanwhile, which outlives the process. An
 * input that fails is kept, and the fuzzer goes on.
 *
 * <p>The fuzzer finds the methods by their names, and calls them from one thread.
 */
public final class GuidedChild {
    /** Stands in the place of an outcome: all inputs were tried. */
    static final int ENDS = -2;

    /** The directory of the images. */
    static final String IMAGES = "lockstep.fuzz.images";

    /** The seed of the database. */
    static final String SEED = "lockstep.fuzz.seed";

    /** What the names of inputs that failed begin with. */
    static final String KEPT = "lockstep.fuzz.kept";

    /** Holds the input under way. */
    static final String INPUT_FILE = "input";

    /** Between the file of an input that failed and the words about it. */
    static final String FILE_END = "\n";

    private static final int WORDS_MAX = 3_000;

    private static final AtomicReference<GuidedChild> RUNNING = new AtomicReference<>();

    private final KilledJvmFrames frames = new KilledJvmFrames();
    private final Path directory;
    private final Path kept;
    private final FuzzSubject subject;
    private final SortedMap<String, byte[]> closed;
    private final SortedMap<String, byte[]> left;
    private long inputs;

    private GuidedChild(Path directory, long seed, Path kept) throws IOException {
        this.directory = directory;
        this.kept = kept;
        subject = new FuzzSubject(seed);
        closed = FuzzMutator.read(directory.resolve(FuzzProof.CLOSED));
        left = FuzzMutator.read(directory.resolve(FuzzProof.LEFT));
    }

    /** Tries one input that was kept; its file is the argument. */
    public static void main(String[] arguments) throws IOException {
        fuzzerInitialize();
        fuzzerTestOneInput(Files.readAllBytes(Path.of(arguments[0])));
        fuzzerTearDown();
    }

    /** What it needs to know is in system properties: the fuzzer would cut arguments at their spaces. */
    public static void fuzzerInitialize() throws IOException {
        RUNNING.set(new GuidedChild(
                Path.of(System.getProperty(IMAGES)), Long.getLong(SEED), Path.of(System.getProperty(KEPT))));
    }

    /** Tries one input. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        RUNNING.get().test(input);
    }

    /** All inputs were tried. */
    public static void fuzzerTearDown() {
        RUNNING.get().say(GuidedInput.Target.PAGES, ENDS, "");
    }

    private void test(byte[] bytes) throws IOException {
        GuidedInput input = new GuidedInput(bytes);
        Files.write(directory.resolve(INPUT_FILE), bytes);
        say(input.target(), FuzzChild.BEGINS, "");
        try {
            say(
                    input.target(),
                    subject.judge(input.files(closed, left), input.forged()).ordinal(),
                    "");
        } catch (Throwable e) {
            Path file = kept.resolveSibling(kept.getFileName() + "-" + inputs);
            Files.write(file, bytes);
            say(input.target(), FuzzOutcome.FAILED.ordinal(), file + FILE_END + FuzzSubject.describe(e));
        }
        inputs++;
    }

    private void say(GuidedInput.Target target, int outcome, String words) {
        byte[] text = words.substring(0, Math.min(words.length(), WORDS_MAX)).getBytes(StandardCharsets.UTF_8);
        frames.say(ByteBuffer.allocate(2 * Integer.BYTES + text.length)
                .putInt(target.ordinal())
                .putInt(outcome)
                .put(text)
                .flip());
    }
}
