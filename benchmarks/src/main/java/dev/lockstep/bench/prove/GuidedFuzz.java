package dev.lockstep.bench.prove;

import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Has Jazzer, which watches what an input executes and goes on from those that executed something new, damage the
 * files. It runs in a process of its own ({@link GuidedChild}), since it changes the classes of the engine and may be
 * taken down by it.
 *
 * <p>Each {@link GuidedInput.Target} has a process and a corpus of its own, and its share of the inputs: a fuzzer that
 * is left the choice goes where an input costs least, and hardly ever back to the pages. Used by one thread.
 */
final class GuidedFuzz {
    private static final String FUZZER = "com.code_intelligence.jazzer.Jazzer";

    /** Where the native half of the fuzzer is there, but not for this system's C library. */
    private static final String NOT_LOADED = "UnsatisfiedLinkError";

    /** What the fuzzer prints of itself. */
    private static final Pattern COVERAGE = Pattern.compile("cov: (\\d+) ft: (\\d+) corp: (\\d+)");

    /** Children for one target that die before it is given up. */
    private static final int CHILDREN_MAX = 20;

    private static final int ERRORS_CHARACTERS_MAX = 2_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final ProofOptions options;
    private final ProofProgress progress;
    private final Path scratch;
    private final ProofReport.Builder report;
    private final FuzzPeak peak;
    private final long[][] byTarget = new long[GuidedInput.Target.values().length][FuzzOutcome.values().length];
    private final long[][] byOperation = new long[GuidedInput.Operation.values().length][FuzzOutcome.values().length];
    private final List<String> coverage = new ArrayList<>();
    private final long firstPoint;
    private long tried;
    private int children;

    /**
     * @param peak is told what inputs take of native memory
     * @param firstPoint number of its first input in the report
     */
    GuidedFuzz(
            ProofOptions options,
            ProofProgress progress,
            Path scratch,
            ProofReport.Builder report,
            FuzzPeak peak,
            long firstPoint) {
        this.options = options;
        this.progress = progress;
        this.scratch = scratch;
        this.report = report;
        this.peak = peak;
        this.firstPoint = firstPoint;
    }

    /** Why it cannot run here; empty if nothing is known against it. */
    static Optional<String> obstacle() {
        ClassLoader loader = GuidedFuzz.class.getClassLoader();
        if (loader.getResource(FUZZER.replace('.', '/') + ".class") == null) {
            return Optional.of("Jazzer is not on the class path");
        }
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String kind = system.contains("mac") ? "macos" : system.contains("win") ? "windows" : "linux";
        String processor = System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64";
        String driver = "com/code_intelligence/jazzer/driver/jazzer_driver_" + kind + "_" + processor + "/"
                + System.mapLibraryName("jazzer_driver");
        return loader.getResource(driver) == null
                ? Optional.of("Jazzer has no native driver for this system: " + driver)
                : Optional.empty();
    }

    /**
     * Runs it.
     *
     * @param count inputs to try, 0 where the time says how long
     * @param seconds how long, 0 where the number of inputs says it
     * @return why it could not run; empty if it has
     */
    Optional<String> run(long count, long seconds) throws IOException {
        Optional<String> obstacle = obstacle();
        if (obstacle.isPresent()) {
            return obstacle;
        }
        int weights = Arrays.stream(GuidedInput.Target.values())
                .mapToInt(GuidedInput.Target::weight)
                .sum();
        long beginNanos = System.nanoTime();
        int weight = 0;
        for (GuidedInput.Target target : GuidedInput.Target.values()) {
            weight += target.weight();
            long endNanos = beginNanos + seconds * NANOS_PER_SECOND / weights * weight;
            obstacle = run(target, count == 0 ? Long.MAX_VALUE : count * weight / weights, endNanos);
            if (obstacle.isPresent()) {
                return obstacle;
            }
        }
        report.section(Section.of(
                "Guided inputs by place and outcome",
                new Paragraph("Jazzer, a coverage-guided fuzzer, chose them. What executed something new it kept: "
                        + String.join("; ", coverage) + ". " + FuzzOutcome.FORGERY),
                targetTable()));
        report.section(Section.of("Guided inputs by what was done and outcome", operationTable()));
        return Optional.empty();
    }

    /**
     * Has one target damaged.
     *
     * @param end how many inputs there are with those of the targets before; the largest number where the time says
     *     how long
     * @param endNanos when to end, where the time says it
     * @return why it could not run; empty if it has
     */
    private Optional<String> run(GuidedInput.Target target, long end, long endNanos) throws IOException {
        Path corpus = Files.createDirectory(scratch.resolve("corpus-" + target.title()));
        int seeds = 0;
        for (byte[] seed : GuidedInput.seeds(
                target,
                FuzzMutator.read(scratch.resolve(FuzzProof.CLOSED)),
                FuzzMutator.read(scratch.resolve(FuzzProof.LEFT)))) {
            Files.write(corpus.resolve("seed-" + seeds++), seed);
        }
        String covered = "";
        for (int child = 0; child < CHILDREN_MAX; child++) {
            long secondsLeft = Math.max(1, (endNanos - System.nanoTime()) / NANOS_PER_SECOND);
            if (end == Long.MAX_VALUE ? child > 0 && System.nanoTime() - endNanos >= 0 : tried >= end) {
                break;
            }
            Path errors = scratch.resolve("guided-errors-" + children + ".txt");
            try (KilledJvm jvm =
                    KilledJvm.start(errors, fuzzerOptions(target), FUZZER, arguments(corpus, end, secondsLeft))) {
                children++;
                listen(jvm, end);
                covered = readCoverage(errors).orElse(covered);
            } catch (IOException e) {
                if (tried == 0 && String.valueOf(e.getMessage()).contains(NOT_LOADED)) {
                    return Optional.of("Jazzer's native driver does not load here: " + lastOf(e.getMessage()));
                }
                throw e;
            }
        }
        coverage.add("of " + target.title() + " " + (covered.isEmpty() ? "it does not say how many" : covered));
        return Optional.empty();
    }

    /** Tries one input that was kept. */
    void replay(Path file) throws IOException {
        List<String> arguments = List.of(file.toAbsolutePath().toString());
        try (KilledJvm jvm =
                KilledJvm.start(scratch.resolve("guided-errors.txt"), childOptions(), GuidedChild.class, arguments)) {
            listen(jvm, 1);
        }
        report.section(Section.of("The input by place and outcome", new Paragraph(FuzzOutcome.FORGERY), targetTable()));
    }

    private List<String> childOptions() {
        Path kept = options.directory().resolve("fuzz-input-" + options.seed() + "-" + children);
        List<String> child = new ArrayList<>(FuzzProof.limits());
        child.add("-D" + GuidedChild.IMAGES + "=" + scratch);
        child.add("-D" + GuidedChild.SEED + "=" + options.seed());
        child.add("-D" + GuidedChild.KEPT + "=" + kept.toAbsolutePath());
        return child;
    }

    private List<String> fuzzerOptions(GuidedInput.Target target) {
        List<String> fuzzer = childOptions();
        fuzzer.add("-D" + GuidedChild.TARGET + "=" + target.name());
        // The fuzzer loads its agent into its own process, and its native half.
        fuzzer.add("-XX:+EnableDynamicAgentLoading");
        fuzzer.add("-Djdk.attach.allowAttachSelf=true");
        fuzzer.add("--enable-native-access=ALL-UNNAMED");
        fuzzer.add("--sun-misc-unsafe-memory-access=allow");
        return fuzzer;
    }

    private List<String> arguments(Path corpus, long end, long seconds) {
        List<String> arguments = new ArrayList<>(List.of(
                "--target_class=" + GuidedChild.class.getName(),
                "--instrumentation_includes=dev.lockstep.engine.**",
                "--custom_hook_includes=dev.lockstep.engine.**",
                "--reproducer_path=" + scratch,
                "-artifact_prefix=" + scratch + "/",
                "-seed=" + (options.seed() + children),
                "-max_len=" + GuidedInput.BYTES_MAX,
                "-len_control=0",
                "-timeout=" + FuzzProof.MILLIS_MAX / 1_000,
                // The child looks at its memory itself: the fuzzer would take the peak of this process for its own.
                "-rss_limit_mb=0"));
        arguments.add(end == Long.MAX_VALUE ? "-max_total_time=" + seconds : "-runs=" + (end - tried));
        arguments.add(corpus.toString());
        return arguments;
    }

    /** Counts what a child says, until so many inputs were tried in all, or it has no more, or it dies of one. */
    private void listen(KilledJvm jvm, long end) throws IOException {
        boolean inside = false;
        GuidedInput.Target target = GuidedInput.Target.PAGES;
        GuidedInput.Operation operation = GuidedInput.Operation.OVERLAY;
        try (ChildWatch watch = new ChildWatch(jvm, FuzzProof.MILLIS_MAX * NANOS_PER_MILLI * 2)) {
            try {
                while (tried < end) {
                    ByteBuffer frame = jvm.next();
                    watch.heard();
                    target = GuidedInput.Target.values()[frame.getInt()];
                    operation = GuidedInput.Operation.values()[frame.getInt()];
                    int outcome = frame.getInt();
                    long nativeBytes = frame.getLong();
                    if (outcome == GuidedChild.ENDS) {
                        return;
                    }
                    inside = outcome == FuzzChild.BEGINS;
                    if (inside) {
                        progress.step(firstPoint + tried, options.points(), "");
                    } else {
                        peak.saw(nativeBytes);
                        ended(
                                target,
                                operation,
                                FuzzOutcome.values()[outcome],
                                StandardCharsets.UTF_8.decode(frame).toString());
                    }
                }
            } catch (IOException e) {
                if (!inside) {
                    throw e;
                }
                String how = watch.hasFired()
                        ? "it went on for " + FuzzProof.MILLIS_MAX + " ms"
                        : lastOf(String.valueOf(e.getMessage()));
                ended(target, operation, FuzzOutcome.FAILED, keep() + GuidedChild.FILE_END + how);
            }
        }
    }

    /** Keeps the input that a child has died of. */
    private Path keep() throws IOException {
        Path kept = options.directory().resolve("fuzz-input-" + options.seed() + "-died-" + tried);
        return Files.copy(scratch.resolve(GuidedChild.INPUT_FILE), kept, StandardCopyOption.REPLACE_EXISTING);
    }

    private void ended(GuidedInput.Target target, GuidedInput.Operation operation, FuzzOutcome outcome, String words) {
        byTarget[target.ordinal()][outcome.ordinal()]++;
        byOperation[operation.ordinal()][outcome.ordinal()]++;
        report.count(outcome.title(), 1);
        report.count(FuzzProof.GUIDED, 1);
        report.count(FuzzProof.GUIDED + " of " + target.title(), 1);
        if (outcome == FuzzOutcome.FAILED) {
            String[] parts = words.split(GuidedChild.FILE_END, 2);
            report.failed(
                    firstPoint + tried,
                    target.title() + " " + operation.title() + ": " + parts[1],
                    options.replay(FuzzProof.NAME, Path.of(parts[0])));
        } else {
            report.survived();
        }
        tried++;
    }

    /** What the fuzzer said last of its coverage. */
    private static Optional<String> readCoverage(Path errors) throws IOException {
        Matcher matcher = COVERAGE.matcher(Files.readString(errors));
        Optional<String> covered = Optional.empty();
        while (matcher.find()) {
            covered = Optional.of(matcher.group(3) + " (" + matcher.group(1) + " places in the code, "
                    + matcher.group(2) + " with how often)");
        }
        return covered;
    }

    private Table targetTable() {
        return FuzzOutcome.table(
                "place",
                Arrays.stream(GuidedInput.Target.values())
                        .map(GuidedInput.Target::title)
                        .toList(),
                byTarget);
    }

    private Table operationTable() {
        return FuzzOutcome.table(
                "what was done",
                Arrays.stream(GuidedInput.Operation.values())
                        .map(GuidedInput.Operation::title)
                        .toList(),
                byOperation);
    }

    private static String lastOf(String text) {
        return text.length() <= ERRORS_CHARACTERS_MAX ? text : text.substring(text.length() - ERRORS_CHARACTERS_MAX);
    }
}
