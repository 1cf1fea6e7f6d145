package dev.lockstep.bench.restart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.Main;
import dev.lockstep.bench.flame.FlameGraphFrames;
import dev.lockstep.bench.flame.FlameGraphs;
import dev.lockstep.bench.report.ReportText;
import dev.lockstep.bench.report.Table;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class RestartExperimentTest {
    private static final long POOL_BYTES = 32L << 20;

    @TempDir
    Path directory;

    @Test
    void opensWhatAKilledProcessLeft() throws IOException, InterruptedException {
        List<String> done = new ArrayList<>();
        List<TpccScale> scales = List.of(new TpccScale(1, 100, 10, 3), new TpccScale(2, 100, 10, 3));
        RestartPoints points =
                new RestartExperiment(directory, POOL_BYTES, 7, 2, done::add).run(scales, List.of(0L, 1L << 20));
        assertEquals(
                List.of(1, 1, 2, 2),
                points.points().stream().map(RestartPoint::warehouses).toList());
        for (RestartPoint point : points.points()) {
            assertTrue(point.pageBytes() > 0, point::toString);
            assertTrue(point.pagesRead() > 0, point::toString);
            assertTrue(
                    point.secondsMin() > 0
                            && point.secondsMin() <= point.secondsMedian()
                            && point.secondsMedian() <= point.secondsMax(),
                    point::toString);
        }
        assertTrue(points.points().get(0).logBytes() < 1 << 20, points::toString);
        assertTrue(points.points().get(1).logBytes() >= 1 << 20, points::toString);
        Table table = (Table) points.section().parts().get(1);
        assertEquals(4, table.rows().size());
        assertEquals(2, points.plot().lines().size());
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(
                    List.of("errors.txt"),
                    left.map(each -> each.getFileName().toString()).toList());
        }
    }

    @Test
    void drawsTheWriterOfTheLogAndTheOpening() throws IOException, InterruptedException {
        FlameGraphs graphs = new FlameGraphs(directory);
        new RestartExperiment(directory, POOL_BYTES, 7, 1, done -> {})
                .draw(graphs, new TpccScale(1, 100, 10, 3), 4L << 20);
        List<String> written = FlameGraphFrames.of(directory.resolve("flames-writing-log.html"));
        assertTrue(written.stream().anyMatch(frame -> frame.startsWith("operation ")), written::toString);
        assertTrue(written.contains("New-Order"), written::toString);
        List<String> opened = FlameGraphFrames.of(directory.resolve("flames-opening.html"));
        assertTrue(opened.contains("operation " + OpeningChild.OPERATION), opened::toString);
        assertTrue(
                ReportText.of(List.of(graphs.section())).contains("flames-opening.html"),
                () -> ReportText.of(List.of(graphs.section())));
        try (Stream<Path> left = Files.list(directory)) {
            assertTrue(left.noneMatch(Files::isDirectory));
        }
    }

    /** Else the curve would show what it takes to make the larger pool. */
    @Test
    void everySizeHasThePoolOfTheLargest() {
        assertEquals(
                RestartExperiment.poolBytes(List.of(TpccScale.standard(4))),
                RestartExperiment.poolBytes(List.of(TpccScale.standard(4), TpccScale.standard(1))));
    }

    @Test
    void refusesWhatIsOutOfRange() {
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine().setErr(new PrintWriter(err));
        assertEquals(2, line.execute("restart", "--log-mb", "-1"));
        assertEquals(2, line.execute("restart", "--warehouses", "0"));
        assertEquals(2, line.execute("restart", "--repeat", "0"));
        assertEquals(2, line.execute("restart", "--pool-mb", "0"));
        assertEquals(2, line.execute("restart", "--flame"));
        assertTrue(err.toString().contains("--flame needs --out DIR"), err::toString);
        assertEquals(
                2, line.execute("restart", "--dir", directory.resolve("none").toString()));
        assertTrue(err.toString().contains("--log-mb is 0 to 65536."), err::toString);
        assertTrue(err.toString().contains("--dir is a directory to write to."), err::toString);
    }
}
