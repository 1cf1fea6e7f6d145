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
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Has Jazzer, which watches what an input executes and goes on from those that executed something new, damage the
 * files. It runs in a process of its own ({@link GuidedChild}), since it changes the classes of the engine and may be
 * taken down by it. Used by one thread.
 */
final class GuidedFuzz {
    private static final String FUZZER = "com.code_intelligence.jazzer.Jazzer";

    /** Where the native half of the fuzzer is there, but not for this system's C library. */
    private static final String NOT_LOADED = "UnsatisfiedLinkError";

    /** What the fuzzer prints of itself. */
    private static final Pattern COVERAGE = Pattern.compile("cov: (\\d+) ft: (\\d+) corp: (\\d+)");

    /** Children that die before this is given up. */
    private static final int CHILDREN_MAX = 20;

    private static final int ERRORS_CHARACTERS_MAX = 2_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final ProofOptions options;
    private final ProofProgress progress;
    private final Path scratch;
    private final ProofReport.Builder report;
    private final long[][] inputs = new long[GuidedInput.Target.values().length][FuzzOutcome.values().length];
    private final long firstPoint;
    private long tried;
    private String coverage = "";

    /** @param firstPoint number of its first input in the report */
    GuidedFuzz(
            ProofOptions options, ProofProgress progress, Path scratch, ProofReport.Builder report, long firstPoint) {
        this.options = options;
        this.progress = progress;
        this.scratch = scratch;
        this.report = report;
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
        Path corpus = Files.createDirectory(scratch.resolve("corpus"));
        SortedMap<String, byte[]> closed = FuzzMutator.read(scratch.resolve(FuzzProof.CLOSED));
        SortedMap<String, byte[]> left = FuzzMutator.read(scratch.resolve(FuzzProof.LEFT));
        int seeds = 0;
        for (byte[] seed : GuidedInput.seeds(closed, left)) {
            Files.write(corpus.resolve("seed-" + seeds++), seed);
        }
        long endNanos = System.nanoTime() + seconds * 1_000 * NANOS_PER_MILLI;
        for (int child = 0; child < CHILDREN_MAX; child++) {
            long secondsLeft = Math.max(1, (endNanos - System.nanoTime()) / (1_000 * NANOS_PER_MILLI));
            if (count > 0 ? tried >= count : child > 0 && System.nanoTime() - endNanos >= 0) {
                break;
            }
            Path errors = scratch.resolve("guided-errors-" + child + ".txt");
            try (KilledJvm jvm =
                    KilledJvm.start(errors, fuzzerOptions(), FUZZER, arguments(child, corpus, count, secondsLeft))) {
                listen(jvm, count > 0 ? count : Long.MAX_VALUE);
                readCoverage(errors);
            } catch (IOException e) {
                if (tried == 0 && String.valueOf(e.getMessage()).contains(NOT_LOADED)) {
                    return Optional.of("Jazzer's native driver does not load here: " + lastOf(e.getMessage()));
                }
                throw e;
            }
        }
        report.section(Section.of(
                "Guided inputs by place and outcome",
                new Paragraph("Jazzer, a coverage-guided fuzzer, chose them" + coverage + "."),
                table()));
        return Optional.empty();
    }

    /** Tries one input that was kept. */
    void replay(Path file) throws IOException {
        List<String> arguments = List.of(file.toAbsolutePath().toString());
        try (KilledJvm jvm =
                KilledJvm.start(scratch.resolve("guided-errors.txt"), childOptions(), GuidedChild.class, arguments)) {
            listen(jvm, 1);
        }
        report.section(Section.of("The input by place and outcome", table()));
    }

    private List<String> childOptions() {
        Path kept = options.directory().resolve("fuzz-input-" + options.seed());
        return List.of(
                "-XX:MaxDirectMemorySize=" + FuzzProof.NATIVE_BYTES_MAX,
                "-Xmx" + FuzzProof.HEAP_BYTES_MAX,
                "-D" + GuidedChild.IMAGES + "=" + scratch,
                "-D" + GuidedChild.SEED + "=" + options.seed(),
                "-D" + GuidedChild.KEPT + "=" + kept.toAbsolutePath());
    }

    private List<String> fuzzerOptions() {
        List<String> fuzzer = new ArrayList<>(childOptions());
        // The fuzzer loads its agent into its own process, and its native half.
        fuzzer.add("-XX:+EnableDynamicAgentLoading");
        fuzzer.add("-Djdk.attach.allowAttachSelf=true");
        fuzzer.add("--enable-native-access=ALL-UNNAMED");
        fuzzer.add("--sun-misc-unsafe-memory-access=allow");
        return fuzzer;
    }

    private List<String> arguments(int child, Path corpus, long count, long seconds) {
        List<String> arguments = new ArrayList<>(List.of(
                "--target_class=" + GuidedChild.class.getName(),
                "--instrumentation_includes=dev.lockstep.engine.**",
                "--custom_hook_includes=dev.lockstep.engine.**",
                "--reproducer_path=" + scratch,
                "-artifact_prefix=" + scratch + "/",
                "-seed=" + (options.seed() + child),
                "-max_len=" + GuidedInput.BYTES_MAX,
                "-len_control=0",
                "-timeout=" + FuzzProof.MILLIS_MAX / 1_000,
                "-rss_limit_mb=0"));
        arguments.add(count > 0 ? "-runs=" + (count - tried) : "-max_total_time=" + seconds);
        arguments.add(corpus.toString());
        return arguments;
    }

    /** Counts what a child says, until so many inputs were tried, or it has no more, or it dies of one. */
    private void listen(KilledJvm jvm, long count) throws IOException {
        boolean inside = false;
        GuidedInput.Target target = GuidedInput.Target.PAGES;
        try (ChildWatch watch = new ChildWatch(jvm, FuzzProof.MILLIS_MAX * NANOS_PER_MILLI * 2)) {
            try {
                while (tried < count) {
                    ByteBuffer frame = jvm.next();
                    watch.heard();
                    target = GuidedInput.Target.values()[frame.getInt()];
                    int outcome = frame.getInt();
                    if (outcome == GuidedChild.ENDS) {
                        return;
                    }
                    inside = outcome == FuzzChild.BEGINS;
                    if (inside) {
                        progress.step(firstPoint + tried, options.points(), "");
                    } else {
                        ended(
                                target,
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
                ended(target, FuzzOutcome.FAILED, keep() + GuidedChild.FILE_END + how);
            }
        }
    }

    /** Keeps the input that a child has died of. */
    private Path keep() throws IOException {
        Path kept = options.directory().resolve("fuzz-input-" + options.seed() + "-died-" + tried);
        return Files.copy(scratch.resolve(GuidedChild.INPUT_FILE), kept, StandardCopyOption.REPLACE_EXISTING);
    }

    private void ended(GuidedInput.Target target, FuzzOutcome outcome, String words) {
        inputs[target.ordinal()][outcome.ordinal()]++;
        report.count(outcome.title(), 1);
        report.count(FuzzProof.GUIDED, 1);
        if (outcome == FuzzOutcome.FAILED) {
            String[] parts = words.split(GuidedChild.FILE_END, 2);
            report.failed(
                    firstPoint + tried,
                    target.title() + ": " + parts[1],
                    options.replay(FuzzProof.NAME, Path.of(parts[0])));
        } else {
            report.survived();
        }
        tried++;
    }

    private void readCoverage(Path errors) throws IOException {
        Matcher matcher = COVERAGE.matcher(Files.readString(errors));
        while (matcher.find()) {
            coverage = ", keeping " + matcher.group(3) + " that executed something new (" + matcher.group(1)
                    + " places in the code, " + matcher.group(2) + " with how often)";
        }
    }

    private Table table() {
        List<String> headers = new ArrayList<>(List.of("place"));
        for (FuzzOutcome outcome : FuzzOutcome.values()) {
            headers.add(outcome.title());
        }
        Table.Builder table = Table.of(1, headers);
        for (GuidedInput.Target target : GuidedInput.Target.values()) {
            List<String> row = new ArrayList<>(List.of(target.title()));
            for (long count : inputs[target.ordinal()]) {
                row.add(String.format(Locale.ROOT, "%,d", count));
            }
            table.row(row);
        }
        return table.build();
    }

    private static String lastOf(String text) {
        return text.length() <= ERRORS_CHARACTERS_MAX ? text : text.substring(text.length() - ERRORS_CHARACTERS_MAX);
    }
}
