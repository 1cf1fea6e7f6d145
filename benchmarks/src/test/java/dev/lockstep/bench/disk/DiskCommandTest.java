package dev.lockstep.bench.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.bench.flame.FlameGraphFrames;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Table;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DiskCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    private int execute(String... arguments) {
        return new CommandLine(new DiskCommand(Main.class.getName(), new TpccScale(1, 100, 10, 3)))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @Test
    void comparesCommitsWithForcesOfTheDisk() throws IOException {
        Path json = directory.resolve("result.json");
        Path disk = Files.createDirectory(directory.resolve("disk"));
        assertEquals(
                0,
                execute(
                        "--dir=" + disk,
                        "--terminals=1,4",
                        "--seconds=0.2",
                        "--repeat=2",
                        "--json=" + json,
                        "--out=" + directory.resolve("report")),
                err::toString);
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertEquals(2, result.get("rawForcesPerSecond").size());
        assertEquals(4, result.get("runs").size());
        for (JsonNode run : result.get("runs")) {
            assertTrue(run.get("commitsPerSecond").asDouble() > 0, run::toString);
            assertTrue(run.get("forcesPerSecond").asDouble() > 0, run::toString);
        }
        assertTrue(out.toString().contains("commits : raw forces"), out::toString);
        assertTrue(out.toString().replaceAll("\\s+", " ").contains("which change no row"), out::toString);
        assertTrue(Files.exists(directory.resolve("report").resolve("report.html")));
        try (Stream<Path> left = Files.list(disk)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void measuresANumberOfTransactionsInPlaceOfSeconds() throws IOException {
        Path json = directory.resolve("result.json");
        assertEquals(
                0,
                execute(
                        "--dir=" + directory,
                        "--terminals=4",
                        "--seconds=0.1",
                        "--transactions=200",
                        "--repeat=1",
                        "--json=" + json),
                err::toString);
        JsonNode run = new ObjectMapper().readTree(json.toFile()).at("/runs/0");
        // New-Orders that are rolled back, one in a hundred of them, commit nothing.
        long commits = run.get("commits").asLong();
        assertTrue(commits > 180 && commits <= 200, run::toString);
    }

    /** Else its ratios with commits, whose log the engine writes so, are of unlike things. */
    @Test
    void forcesWhatWasWrittenAsTheLogIs() throws IOException, InterruptedException {
        boolean uncached;
        try (Arena arena = Arena.ofShared();
                BlockFile file = DiskStorage.INSTANCE.open(directory.resolve("log"), Storage.OpenMode.CREATE)) {
            file.writeUncached(
                    arena.allocate(BlockFile.BLOCK_BYTES, BlockFile.BLOCK_BYTES).asByteBuffer(), 0);
            uncached = file.writesUncached();
        }
        ForceProbe.RawForces raw = ForceProbe.measure(directory, Duration.ofMillis(1));
        assertEquals(uncached, raw.uncachedWrites());
        assertTrue(raw.forcesPerSecond() > 0, raw::toString);
    }

    @Test
    void saysWhichWayTheBlocksWent() {
        for (boolean uncached : List.of(true, false)) {
            Paragraph paragraph = (Paragraph) new DiskReport(List.of(1.0), uncached, List.of())
                    .section()
                    .parts()
                    .getFirst();
            assertEquals(uncached, paragraph.text().contains("past the cache of the operating system,"));
            assertEquals(!uncached, paragraph.text().contains("through the cache of the operating system,"));
        }
    }

    /** A start of async-profiler was once seen to hang, in a child that a limit ends. */
    @Test
    @Timeout(300)
    void drawsAFlameGraphOfEachNumberOfTerminals() throws IOException {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        Path report = directory.resolve("report");
        assertEquals(
                0,
                execute("--dir=" + disk, "--terminals=1,20", "--seconds=1", "--repeat=1", "--flame", "--out=" + report),
                err::toString);
        List<String> frames = FlameGraphFrames.of(report.resolve("flames-20-terminals.html"));
        assertTrue(frames.stream().anyMatch(frame -> frame.startsWith("operation ")), frames::toString);
        assertTrue(frames.contains("New-Order"), frames::toString);
        assertTrue(Files.readString(report.resolve("report.html")).contains("Flame graph of 1 terminal"));
        assertTrue(out.toString().contains("flames-1-terminal.html"), out::toString);
        try (Stream<Path> left = Files.list(disk)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void flameGraphsNeedAReport() {
        assertEquals(2, execute("--flame"));
        assertTrue(err.toString().contains("--flame needs --out DIR"), err::toString);
    }

    @Test
    void ratiosAreOfMedians() {
        DiskReport report = new DiskReport(
                List.of(30.0, 10.0, 20.0),
                true,
                List.of(
                        new DiskRun(5, 2_000, 200, 25, 8),
                        new DiskRun(5, 4_000, 400, 40, 10),
                        new DiskRun(5, 1_000, 100, 10, 9)));
        Table table = (Table) report.section().parts().get(3);
        assertEquals(List.of(List.of("5", "200", "100", "400", "25", "9", "10", "1.25")), table.rows());
    }

    @Test
    void refusesWhatIsOutOfRange() {
        assertEquals(2, execute("--terminals=0"));
        assertEquals(2, execute("--seconds=0"));
        assertEquals(2, execute("--transactions=-1"));
        assertEquals(2, execute("--repeat=0"));
        assertEquals(2, execute("--dir=" + directory.resolve("none")));
        assertEquals("", out.toString());
        assertTrue(err.toString().contains("--seconds is more than 0 and up to an hour."), err::toString);
    }
}
