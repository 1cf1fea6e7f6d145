package dev.lockstep.bench.prove;

import dev.lockstep.bench.process.ChildJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
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

    /** The {@link GuidedInput.Target} that all inputs damage, whatever they say; absent if they say it themselves. */
    static final String TARGET = "lockstep.fuzz.target";

    /** Holds the input under way. */
    static final String INPUT_FILE = "input";

    /** Between the file of an input that failed and the words about it. */
    static final String FILE_END = "\n";

    private static final int WORDS_MAX = 3_000;

    private static final AtomicReference<GuidedChild> RUNNING = new AtomicReference<>();

    private final KilledJvmFrames frames = new KilledJvmFrames();
    private final Path directory;
    private final Path kept;
    private final Optional<GuidedInput.Target> target;
    private final FuzzSubject subject;
    private final SortedMap<String, byte[]> closed;
    private final SortedMap<String, byte[]> left;
    private long inputs;

    private GuidedChild(Path directory, long seed, Path kept, Optional<GuidedInput.Target> target) throws IOException {
        this.directory = directory;
        this.kept = kept;
        this.target = target;
        closed = FuzzMutator.read(directory.resolve(FuzzProof.CLOSED));
        left = FuzzMutator.read(directory.resolve(FuzzProof.LEFT));
        subject = new FuzzSubject(seed, closed, left);
    }

    /** Tries one input that was kept; its file is the argument. */
    public static void main(String[] arguments) throws IOException {
        ChildJvm.endWithParent();
        fuzzerInitialize();
        fuzzerTestOneInput(Files.readAllBytes(Path.of(arguments[0])));
        fuzzerTearDown();
    }

    /** What it needs to know is in system properties: the fuzzer would cut arguments at their spaces. */
    public static void fuzzerInitialize() throws IOException {
        RUNNING.set(new GuidedChild(
                Path.of(System.getProperty(IMAGES)),
                Long.getLong(SEED),
                Path.of(System.getProperty(KEPT)),
                Optional.ofNullable(System.getProperty(TARGET)).map(GuidedInput.Target::valueOf)));
    }

    /** Tries one input. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        RUNNING.get().test(input);
    }

    /** All inputs were tried. */
    public static void fuzzerTearDown() {
        RUNNING.get().say(new GuidedInput(new byte[0]), ENDS, 0, "");
    }

    private void test(byte[] given) throws IOException {
        byte[] bytes =
                target.map(wanted -> GuidedInput.withTarget(given, wanted)).orElse(given);
        GuidedInput input = new GuidedInput(bytes);
        Files.write(directory.resolve(INPUT_FILE), bytes);
        say(input, FuzzChild.BEGINS, 0, "");
        FuzzVerdict verdict = subject.judge(input.files(closed, left), input.forged());
        String words = "";
        if (verdict.outcome() == FuzzOutcome.FAILED) {
            Path file = kept.resolveSibling(kept.getFileName() + "-" + inputs);
            Files.write(file, bytes);
            words = file + FILE_END + verdict.words();
        }
        say(input, verdict.outcome().ordinal(), verdict.nativeBytes(), words);
        inputs++;
    }

    private void say(GuidedInput input, int outcome, long nativeBytes, String words) {
        byte[] text = words.substring(0, Math.min(words.length(), WORDS_MAX)).getBytes(StandardCharsets.UTF_8);
        frames.say(ByteBuffer.allocate(3 * Integer.BYTES + Long.BYTES + text.length)
                .putInt(input.target().ordinal())
                .putInt(input.operation().ordinal())
                .putInt(outcome)
                .putLong(nativeBytes)
                .put(text)
                .flip());
    }
}
