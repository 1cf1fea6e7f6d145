package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.report.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One run of an {@link IndexFetchChildCommand} to its end, whatever it is for: times, counts or a control. Immutable.
 *
 * @param exitCode of the child
 * @param report file of its report, which is there if it succeeded
 * @param printed what it printed, line by line
 */
record FetchJvm(int exitCode, Path report, List<String> printed) {
    FetchJvm {
        printed = List.copyOf(printed);
    }

    /**
     * Runs it.
     *
     * @param processors where it runs
     * @param directory of its files, which exists
     * @param environment variables that it gets beside this process's own
     * @param options of the JVM
     * @param mainClass which knows {@link IndexFetchChildCommand}
     */
    static FetchJvm run(
            FetchSpec spec,
            Processors processors,
            Path directory,
            Map<String, String> environment,
            List<String> options,
            String mainClass)
            throws IOException, InterruptedException {
        Path specification = directory.resolve("spec.json");
        Path report = directory.resolve("report.json");
        Json.write(specification, spec);
        List<String> printed = new ArrayList<>();
        int exitCode = ChildJvm.run(
                processors,
                directory,
                environment,
                options,
                mainClass,
                ChildCommand.words(IndexFetchChildCommand.NAME, specification, report),
                printed::add);
        return new FetchJvm(exitCode, report, printed);
    }

    /**
     * Reads its report.
     *
     * @param what ran, for the error
     * @throws IllegalStateException if it failed
     */
    FetchTimes times(String what) throws IOException {
        if (exitCode != 0 || !Files.exists(report)) {
            throw new IllegalStateException(
                    what + " failed: exitCode=" + exitCode + " printed=" + String.join(" | ", printed));
        }
        return Json.read(report, FetchTimes.class);
    }
}
