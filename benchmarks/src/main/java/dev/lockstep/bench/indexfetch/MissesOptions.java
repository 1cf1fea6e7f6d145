package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.MeasurementOptions;
import dev.lockstep.bench.report.MemorySize;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** What {@code indexfetch} is told about simulated runs alone. */
final class MissesOptions {
    /** Some steps of straight code. */
    private static final int PADDING_BYTES_MIN = 128;

    /** What the largest cache of the paper's sweep holds. */
    private static final int PADDING_BYTES_MAX = 64 << 10;

    @Option(
            names = "--l1i",
            paramLabel = "GEOMETRY",
            defaultValue = "32K,8,64",
            description = "A further instruction cache that observes the simulated run, SIZE,WAYS,LINE; may be given"
                    + " several times. Default: ${DEFAULT-VALUE}.")
    private List<String> l1i;

    @Option(
            names = "--l1d",
            paramLabel = "GEOMETRY",
            defaultValue = "48K,12,64",
            description = "A further data cache that observes the simulated run; may be given several times. Default:"
                    + " ${DEFAULT-VALUE}.")
    private List<String> l1d;

    @Option(
            names = "--switch-padding",
            split = ",",
            paramLabel = "SIZE",
            converter = MemorySize.Converter.class,
            description = "Code beside a switch's own that each switch executes in further simulated runs of"
                    + " continuations, like 1K,4K,16K.")
    private List<MemorySize> switchPaddings = List.of();

    @Option(
            names = "--retrained-points",
            split = ",",
            paramLabel = "FILE",
            description = "Points like those of --switch-points, searched for other caches, in further simulated runs:"
                    + " what each misses in the cache that it was searched for stands beside what --kinds inserted"
                    + " misses there. Such a cache observes all runs.")
    private List<Path> retrainedPoints = List.of();

    /**
     * Refuses what cannot be.
     *
     * @param measured whether misses are counted at all
     * @param kinds those that are measured, with their originals
     */
    void require(MeasurementOptions options, boolean measured, List<FetchKind> kinds) throws IOException {
        options.require(
                switchPaddings.isEmpty() || (measured && kinds.contains(FetchKind.CONTINUATION)),
                "--switch-padding needs --measure misses or all, and --kinds continuation");
        options.require(
                switchPaddings.stream()
                        .allMatch(each -> each.bytes() >= PADDING_BYTES_MIN && each.bytes() <= PADDING_BYTES_MAX),
                "--switch-padding is " + PADDING_BYTES_MIN + " to " + PADDING_BYTES_MAX);
        options.require(
                retrainedPoints.isEmpty() || (measured && kinds.contains(FetchKind.INSERTED)),
                "--retrained-points needs --measure misses or all, and --kinds inserted");
        try {
            caches();
        } catch (IllegalArgumentException e) {
            options.require(false, "--l1i, --l1d: " + e.getMessage());
        } catch (IOException e) {
            options.require(false, "--retrained-points: " + e.getMessage());
        }
    }

    /** Whether no further runs are asked for. */
    boolean areOfOneRun() {
        return switchPaddings.isEmpty() && retrainedPoints.isEmpty();
    }

    /** Those that observe, after {@link #require}. */
    FetchCaches caches() throws IOException {
        List<String> further = new ArrayList<>(l1i);
        for (Path file : retrainedPoints) {
            further.add(SwitchPoints.read(file).cache());
        }
        return new FetchCaches(further, l1d);
    }

    /** Bytes of code beside a switch's own, for each further run. */
    List<Integer> paddings() {
        return switchPaddings.stream().map(each -> (int) each.bytes()).toList();
    }

    /** Points for other caches, for each further run. */
    List<InsertedPoints> retrained() {
        return retrainedPoints.stream().map(InsertedPoints::new).toList();
    }
}
