package dev.lockstep.bench.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.bench.flame.FlameGraphFrames;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Section;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ProveCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    private int execute(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    @Test
    void theHelpTellsOfEachProof() {
        assertEquals(0, execute("prove", "--help"));
        for (Proof proof : Proofs.ALL) {
            assertTrue(out.toString().contains("prove " + proof.name() + " ("), out::toString);
        }
    }

    @Test
    void wrongCallsSayWhatIsWrong() throws IOException {
        Path input = Files.createFile(directory.resolve("input"));
        String[][] calls = {
            {"prove"},
            {"prove", "nothing"},
            {"prove", "kill", "--points", "0"},
            {"prove", "kill", "--points", "3", "--point", "3"},
            {"prove", "kill", "--points", "3", "--minutes", "1"},
            {"prove", "overload", "--points", "13"},
            {"prove", "soak", "--point", "3"},
            {"prove", "soak", "--points", "5"},
            {"prove", "kill", "--point", "3", "--minutes", "1"},
            {"prove", "kill", "--input", input.toString()},
            {"prove", "fuzz", "--input", input.toString(), "--points", "3"},
            {"prove", "fuzz", "--input", input.toString(), "--minutes", "1"},
            {"prove", "fuzz", "--input", input.toString(), "--points", "9", "--point", "3"},
            {"prove", "kill", "--minutes", "0"},
            {"prove", "kill", "--points", "1", "--flame"},
            {"prove", "kill", "--json", directory.resolve("missing/result.json").toString()},
        };
        for (String[] call : calls) {
            err.getBuffer().setLength(0);
            assertEquals(2, execute(call), () -> String.join(" ", call) + err);
            assertTrue(err.toString().startsWith("lockstep: "), err::toString);
        }
        assertEquals("", out.toString());
    }

    @Test
    void aProofWritesItsResult() throws Exception {
        Path json = directory.resolve("result.json");
        Path page = directory.resolve("report");
        assertEquals(
                0,
                execute(
                        "prove",
                        "kill",
                        "--points",
                        "2",
                        "--point",
                        "1",
                        "--seed",
                        "7",
                        "--dir",
                        directory.toString(),
                        "--json",
                        json.toString(),
                        "--out",
                        page.toString()),
                () -> err + out.toString());
        assertTrue(out.toString().startsWith("kill: 1 tried, 1 survived, 0 failed"), out::toString);
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertEquals(1, result.at("/report/tried").asLong());
        assertEquals(7, result.at("/origin/seed").asLong());
        assertTrue(result.get("ok").asBoolean());
        assertTrue(Files.readString(page.resolve("report.html")).contains("1 survived"));
    }

    @Test
    void drawsAFlameGraphOfAFurtherRun() throws IOException {
        Path page = directory.resolve("report");
        assertEquals(
                0,
                execute(
                        "prove",
                        "crash",
                        "--point",
                        "30:torn",
                        "--dir",
                        directory.toString(),
                        "--flame",
                        "--out",
                        page.toString()),
                () -> err + out.toString());
        List<String> frames = FlameGraphFrames.of(page.resolve("flames-crash.html"));
        assertTrue(frames.stream().anyMatch(frame -> frame.startsWith("operation ")), frames::toString);
        assertTrue(Files.readString(page.resolve("report.html")).contains("Flame graph of crash"));
        assertTrue(out.toString().contains("flames-crash.html"), out::toString);
    }

    @Test
    void aPointOfTheCrashProofIsTriedByItsName() {
        assertEquals(
                0,
                execute("prove", "crash", "--point", "30:torn", "--dir", directory.toString()),
                () -> err + out.toString());
        assertTrue(out.toString().startsWith("crash: 1 tried, 1 survived, 0 failed"), out::toString);
        assertEquals(2, execute("prove", "crash", "--point", "30:burnt", "--dir", directory.toString()));
        assertTrue(err.toString().contains("OPERATION:FAULT"), err::toString);
        assertEquals(2, execute("prove", "crash", "--point", "99999999:torn", "--dir", directory.toString()));
        assertTrue(err.toString().contains("no such point"), err::toString);
        assertEquals(2, execute("prove", "kill", "--point", "30:torn", "--dir", directory.toString()));
    }

    @Test
    void aFailureIsReportedWithTheLineThatReplaysIt() {
        ProofOptions options = new ProofOptions(500, Duration.ZERO, 9, OptionalLong.empty(), directory);
        ProofReport.Builder builder = new ProofReport.Builder("kill", options);
        assertFalse(builder.build().ok(), "nothing was tried");
        builder.survived();
        assertTrue(builder.build().ok());
        builder.failed(12, "lost");
        builder.count("kills", 2);
        builder.section(Section.of("More", new Paragraph("words")));
        ProofReport report = builder.build();
        assertFalse(report.ok());
        assertEquals("kill: 2 tried, 1 survived, 1 failed", report.summary());
        assertEquals(
                "./lockstep prove kill --points 500 --seed 9 --point 12",
                report.failures().getFirst().replay());
    }

    /** However many there are, each has its line; what was found is cut where there are too many to read. */
    @Test
    void everyFailureHasTheLineThatReplaysIt() {
        ProofOptions options = new ProofOptions(500, Duration.ZERO, 9, OptionalLong.empty(), directory);
        ProofReport.Builder builder = new ProofReport.Builder("kill", options);
        String what = "lost".repeat(ProofReport.BRIEF_CHARACTERS_MAX) + "\nand more";
        for (int point = 0; point < ProofReport.FAILURES_IN_FULL + 2; point++) {
            builder.failed(point, what);
        }
        ProofReport report = builder.build();
        assertEquals(ProofReport.FAILURES_IN_FULL + 2, report.failed());
        assertEquals(report.failed(), report.failures().size());
        assertEquals(
                what, report.failures().get(ProofReport.FAILURES_IN_FULL - 1).what());
        ProofFailure brief = report.failures().getLast();
        assertEquals(what.substring(0, ProofReport.BRIEF_CHARACTERS_MAX), brief.what());
        assertEquals("./lockstep prove kill --points 500 --seed 9 --point 101", brief.replay());
    }

    @Test
    void whatWasThrownIsTold() {
        String text = ProofReport.describe(new IllegalStateException("lost", new AssertionError("reason")));
        String expected = "java.lang.IllegalStateException: lost, because java.lang.AssertionError: reason at ";
        assertTrue(text.startsWith(expected), text);
        assertTrue(text.contains(ProveCommandTest.class.getName()), text);
    }

    @Test
    void pointsOfTheOverloadProofGoUpTheLadderAndBeyond() {
        List<Integer> ladder = List.of(1, 2, 5);
        assertEquals(List.of(1, 2), OverloadProof.rungs(ladder, 2));
        assertEquals(List.of(1, 2, 5, 10, 20), OverloadProof.rungs(ladder, 5));
    }

    /** Also where the fewest that reach 95 % of the peak are a tenth of those that reach it. */
    @Test
    void theFloodIsTenTimesThePeak() {
        assertEquals(50, OverloadProof.flood(5, 5));
        assertEquals(500, OverloadProof.flood(5, 50));
    }

    /** Whatever a proof goes by, the line is a right call, and tries what failed. */
    @Test
    void aPointOfARunByTimeIsReplayedAlone() {
        ProofOptions options = new ProofOptions(500, Duration.ZERO, 9, OptionalLong.empty(), directory);
        ProofOptions byTime = options.withTime(Duration.ofSeconds(90));
        assertEquals("./lockstep prove kill --points 4 --seed 9 --point 3", byTime.replay("kill", 3));
        assertEquals("./lockstep prove soak --minutes 1.5 --seed 9", byTime.replay("soak", 3));
        assertEquals(
                "./lockstep prove overload --points 2 --seed 9",
                options.withPoints(2).replay("overload", 3));
    }
}
