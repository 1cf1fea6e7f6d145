package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.report.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Several runs by turns in one JVM, started by {@link TpccCommand}. Ends the JVM by itself when nothing gets on. */
public final class SlicedChildCommand extends ChildCommand {
    /** By which a parent calls it. */
    public static final String NAME = "tpcc-slices-child";

    /** For the program that parents start. */
    public SlicedChildCommand() {}

    @Override
    protected int run(Path specification, Path report) throws IOException, InterruptedException {
        SlicedRequest request = Json.read(specification, SlicedRequest.class);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (StallWatch watch = new StallWatch(StallWatch.STILL_MILLIS_MAX, still -> stalled(specification, still))) {
            SlicedReport result = new SlicedRuns(request, watch, line -> out.println(line.text())).run();
            Json.write(report, result);
            return result.runs().stream().allMatch(RunReport::ok) ? 0 : 1;
        }
    }

    private static void stalled(Path specification, long stillMillis) {
        // The parent makes this line the failure of all runs; whatever is stuck might also stick in a shutdown hook.
        System.out.println(TpccChildCommand.stall(specification, stillMillis));
        Runtime.getRuntime().halt(1);
    }
}
