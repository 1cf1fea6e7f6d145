package dev.lockstep.bench.tpcc;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.report.Json;
import dev.lockstep.counters.Markers;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** One run in a JVM of its own, started by {@link TpccCommand}. Ends the JVM by itself when the run stalls. */
@Command(name = TpccChildCommand.NAME, hidden = true, description = "Runs what a specification says; started by tpcc.")
public final class TpccChildCommand implements Callable<Integer> {
    static final String NAME = "tpcc-child";

    @Option(names = "--spec", required = true)
    private Path specification;

    @Option(names = "--report", required = true)
    private Path report;

    /** For picocli. */
    public TpccChildCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        ChildJvm.endWithParent();
        RunRequest request = Json.read(specification, RunRequest.class);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        long stillMillisMax = StallWatch.STILL_MILLIS_MAX * (Markers.isSimulated() ? TpccChildRun.SLOWER : 1);
        try (StallWatch watch = new StallWatch(stillMillisMax, still -> stalled(request, still))) {
            TpccChildRun run = new TpccChildRun(request, watch, line -> out.println(line.text()));
            if (request.part() == RunPart.LOAD) {
                run.load();
                return 0;
            }
            RunReport result = run.run();
            Json.write(report, result);
            return result.ok() ? 0 : 1;
        }
    }

    private void stalled(RunRequest request, long stillMillis) {
        String dump;
        try {
            Path file = specification.resolveSibling(
                    "stall-" + ProcessHandle.current().pid() + ".txt");
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(file.toAbsolutePath().toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
            dump = file.toString();
        } catch (IOException e) {
            dump = "failed (" + e.getMessage() + ")";
        }
        String failure = "nothing was done for stillMillis=" + stillMillis + " threadDump=" + dump;
        try {
            Json.write(report, RunReport.failed(request, failure));
        } catch (IOException e) {
            System.err.println(failure + "; the report could not be written: " + e.getMessage());
        }
        // Whatever is stuck might also stick in a shutdown hook.
        Runtime.getRuntime().halt(1);
    }
}
