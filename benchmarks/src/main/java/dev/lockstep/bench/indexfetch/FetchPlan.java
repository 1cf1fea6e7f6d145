package dev.lockstep.bench.indexfetch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What is run, whether its times are taken or its misses counted.
 *
 * @param spec of every child JVM, but for its kind and the order of its sizes
 * @param kinds those to run, the original of each among them
 * @param points of {@link FetchKind#INSERTED}
 * @param scratch directory of all files
 * @param mainClass of child JVMs, which knows {@link IndexFetchChildCommand}
 * @param progress is told what runs
 */
record FetchPlan(
        FetchSpec spec,
        List<FetchKind> kinds,
        InsertedPoints points,
        Path scratch,
        String mainClass,
        Consumer<String> progress) {
    FetchPlan {
        kinds = List.copyOf(kinds);
    }

    /** The same of other child JVMs. */
    FetchPlan with(FetchSpec newSpec) {
        return new FetchPlan(newSpec, kinds, points, scratch, mainClass, progress);
    }

    /** The one that is run twice: an original, since speedups are over the time of the original. */
    FetchKind control() {
        return kinds.stream()
                .filter(kind -> kind == kind.original())
                .findFirst()
                .orElseThrow();
    }

    /** Further options of the JVM that runs a kind. */
    List<String> options(FetchKind kind) throws IOException {
        List<String> options = new ArrayList<>(points.options(kind, scratch));
        if (spec.paddingBytes() > 0) {
            options.addAll(CompiledPadding.options());
            if (kind.usesSThreads()) {
                options.addAll(OperationPadding.options(
                        spec.paddingBytes(), spec.operation().firstName()));
            }
        }
        return options;
    }
}
