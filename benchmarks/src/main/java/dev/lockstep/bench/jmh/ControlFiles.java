package dev.lockstep.bench.jmh;

import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * The files by which simulated forks and their controls are compared, those of a benchmark named as it.
 *
 * @param directory where they are, which exists
 */
public record ControlFiles(Path directory) {
    /** Ends the name of a {@link Verdict}'s file. */
    private static final String VERDICT = ".verdict.json";

    private static final String PROCESS_OF_LOG = "%p";

    /** Option by which a JVM logs its compilations. */
    public String logging() {
        return GuestOptions.logCompilations(compilations(PROCESS_OF_LOG).toString());
    }

    /** The log of compilations of a process. */
    Path compilations(String process) {
        return directory.resolve("compilations-" + process + ".txt");
    }

    /** The stacks of the control. */
    Path samples(BenchmarkParams benchmark) {
        return file(benchmark, ".samples.txt");
    }

    /** What the control had compiled. */
    Path machine(BenchmarkParams benchmark) {
        return file(benchmark, ".machine.json");
    }

    /** What the simulated fork had compiled. */
    Path emulated(BenchmarkParams benchmark) {
        return file(benchmark, ".emulated.json");
    }

    /** By which time the simulated fork went. */
    Path time(BenchmarkParams benchmark) {
        return file(benchmark, ".time.txt");
    }

    /** How far to believe a fork, by the number of its process. */
    Path verdict(BenchmarkParams benchmark, long process) {
        return file(benchmark, "-" + process + VERDICT);
    }

    /**
     * All verdicts, by the names of their files.
     *
     * @throws IOException if one cannot be read
     */
    public List<Verdict> verdicts() throws IOException {
        List<Path> found;
        try (Stream<Path> all = Files.list(directory)) {
            found = all.filter(file -> file.getFileName().toString().endsWith(VERDICT))
                    .sorted()
                    .toList();
        }
        List<Verdict> verdicts = new ArrayList<>();
        for (Path file : found) {
            verdicts.add(Json.read(file, Verdict.class));
        }
        return verdicts;
    }

    private Path file(BenchmarkParams benchmark, String suffix) {
        return directory.resolve(name(benchmark) + suffix);
    }

    /** Class and name of a benchmark, its parameters and its mode, in characters that every file system takes. */
    static String name(BenchmarkParams benchmark) {
        String[] names = benchmark.getBenchmark().split("\\.");
        String parameters = benchmark.getParamsKeys().stream()
                .map(key -> "-" + key + "-" + benchmark.getParam(key))
                .collect(Collectors.joining());
        String mode = "-" + benchmark.getMode().shortLabel();
        return (names[names.length - 2] + "." + names[names.length - 1] + parameters + mode)
                .replaceAll("[^A-Za-z0-9._-]", "_");
    }
}
