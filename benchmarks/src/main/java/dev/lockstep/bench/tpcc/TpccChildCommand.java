package dev.lockstep.bench.tpcc;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.report.Json;
import dev.lockstep.counters.Markers;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** One run in a JVM of its own, started by {@link TpccCommand}. Ends the JVM by itself when the run stalls. */
public final class TpccChildCommand extends ChildCommand {
    /** By which a parent calls it. */
    public static final String NAME = "tpcc-child";

    /** For the program that parents start. */
    public TpccChildCommand() {}

    @Override
    protected int run(Path specification, Path report) throws IOException, InterruptedException {
        RunRequest request = Json.read(specification, RunRequest.class);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        long stillMillisMax = StallWatch.STILL_MILLIS_MAX * (Markers.isSimulated() ? TpccChildRun.SLOWER : 1);
        try (StallWatch watch =
                new StallWatch(stillMillisMax, still -> stalled(request, specification, report, still))) {
            TpccChildRun run = new TpccChildRun(request, watch, line -> out.println(line.text()));
            if (request.part() == RunPart.LOAD) {
                run.load();
                return 0;
            }
            if (request.part() == RunPart.CHECK) {
                Json.write(report, run.check());
                return 0;
            }
            RunReport result = run.run();
            Json.write(report, result);
            return result.ok() ? 0 : 1;
        } catch (Engines.UnavailableException e) {
            out.println("lockstep: " + e.getMessage());
            Json.write(report, RunReport.failed(request, e.getMessage()));
            return 1;
        }
    }

    private static void stalled(RunRequest request, Path specification, Path report, long stillMillis) {
        // First without: a thread dump of virtual threads that are just mounted can end the JVM (JDK-8364343).
        report(request, report, "nothing was done for stillMillis=" + stillMillis + " threadDump=ended the JVM");
        report(request, report, stall(specification, stillMillis));
        // Whatever is stuck might also stick in a shutdown hook.
        Runtime.getRuntime().halt(1);
    }

    private static void report(RunRequest request, Path report, String failure) {
        try {
            Json.write(report, RunReport.failed(request, failure));
        } catch (IOException e) {
            System.err.println(failure + "; the report could not be written: " + e.getMessage());
        }
    }

    /** The sentence about a stall, with the thread dump, which is written beside the specification of the run. */
    static String stall(Path specification, long stillMillis) {
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
        return "nothing was done for stillMillis=" + stillMillis + " threadDump=" + dump;
    }
}
