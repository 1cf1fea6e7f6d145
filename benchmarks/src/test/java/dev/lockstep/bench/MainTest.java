package dev.lockstep.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.jmh.BenchmarkSeed;
import dev.lockstep.bench.process.Machine;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.WrongThreadException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    @Test
    void printsItsVersion() {
        assertEquals(0, execute("--version"));
        assertTrue(out.toString().matches("(?s)lockstep \\d+\\.\\d+\\.\\d+\\RJDK \\d+.*"), out.toString());
    }

    @Test
    void printsItsHelp() {
        assertEquals(0, execute("--help"));
        assertTrue(out.toString().startsWith("Usage: ./lockstep"), out.toString());
    }

    @Test
    void jmhWritesItsResultsWithTheMachineAndTheSeed(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("result.json");
        assertEquals(
                0,
                execute(
                        "jmh",
                        "KeyBenchmark",
                        "--json",
                        json.toString(),
                        "--seed",
                        "7",
                        "--",
                        "-f",
                        "0",
                        "-wi",
                        "0",
                        "-i",
                        "1",
                        "-r",
                        "1ms",
                        "-v",
                        "SILENT"),
                err::toString);
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertEquals(7, report.get("seed").asLong());
        assertEquals(Machine.here().processor(), report.at("/machine/processor").asText());
        assertEquals(Runtime.version().toString(), report.get("jvm").asText());
        assertTrue(report.get("results").size() > 0);
        assertTrue(report.at("/results/0/primaryMetric/score").asDouble() > 0);
        assertEquals("7", System.getProperty(BenchmarkSeed.PROPERTY));
    }

    /** JMH's own program acts on them, its runner does not, and would run every benchmark for hours. */
    @ParameterizedTest
    @ValueSource(strings = {"-l", "-lp", "-lprof", "-lrf", "-h"})
    void jmhListsWhatItIsAskedFor(String option) {
        assertEquals(0, execute("jmh", "KeyBenchmark", "--", option));
    }

    @Test
    void jmhWritesAReport(@TempDir Path directory) throws IOException {
        Path report = directory.resolve("new/report");
        String[] arguments = {
            "jmh",
            "KeyBenchmark",
            "--out",
            report.toString(),
            "--",
            "-f",
            "0",
            "-wi",
            "0",
            "-i",
            "2",
            "-r",
            "1ms",
            "-v",
            "SILENT"
        };
        assertEquals(0, execute(arguments), err::toString);
        String page = Files.readString(report.resolve("report.html"));
        assertTrue(page.contains("<figure id=\"plot-scores-"), page);
        assertTrue(page.contains("<td class=\"name\">Key."), page);
        try (Stream<Path> plots = Files.list(report.resolve("plots"))) {
            assertTrue(plots.anyMatch(plot -> plot.toString().endsWith(".png")));
        }
        JsonNode result =
                new ObjectMapper().readTree(report.resolve("result.json").toFile());
        assertTrue(result.get("results").size() > 0);
        assertTrue(err.toString().contains("report.html"), err.toString());
    }

    @Test
    void restartTakesNoMoreWarehousesThanAPoolHolds() {
        assertEquals(2, execute("restart", "--warehouses", "6552"));
        assertTrue(err.toString().contains("--warehouses is 1 to 6551"), err.toString());
    }

    /** Known before the experiment, which takes minutes. */
    @Test
    void aResultThatCannotBeWrittenIsAWrongCall(@TempDir Path directory) {
        String file = directory.resolve("missing").resolve("result.json").toString();
        for (String[] command : List.of(
                new String[] {"tpcc"},
                new String[] {"jmh", "KeyBenchmark"},
                new String[] {"simulate", "--l1i", "32K,8,64"},
                new String[] {"simulate-validate", "hand"},
                new String[] {"counters"},
                new String[] {"prove", "kill"},
                new String[] {"verify", "."},
                new String[] {"restart"},
                new String[] {"disk"},
                new String[] {"indexfetch"},
                new String[] {"codemap"})) {
            List<String> words = new ArrayList<>(List.of(command));
            words.addAll(List.of("--json", file));
            if (command[0].equals("simulate")) {
                words.addAll(List.of("--", "java", "-version"));
            }
            assertEquals(2, execute(words.toArray(String[]::new)), () -> words + " " + err);
            assertTrue(err.toString().contains("--json " + file + " cannot be written: "), err.toString());
            err.getBuffer().setLength(0);
        }
        assertEquals("", out.toString());
    }

    @Test
    void aReportThatCannotBeWrittenIsAWrongCall(@TempDir Path directory) throws IOException {
        String file = Files.createFile(directory.resolve("file")).toString();
        assertEquals(2, execute("jmh", "KeyBenchmark", "--out", file));
        assertEquals(2, execute("jmh", "KeyBenchmark", "--out", file + "/below"));
        assertTrue(err.toString().contains("--out " + file + "/below cannot be made"), err.toString());
        assertEquals(2, execute("simulate", "--out", file, "--", "java", "-version"));
        assertEquals(2, execute("jmh", "KeyBenchmark", "--flame"));
        assertTrue(err.toString().contains("--flame needs --out DIR"), err.toString());
        assertEquals("", out.toString());
    }

    /** Of these picocli makes empty lists, of which nothing would be measured. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "tpcc --engine ,",
                "tpcc --terminals ,",
                "tpcc --without ,",
                "indexfetch --rows ,",
                "indexfetch --kinds ,",
                "disk --terminals ,",
                "restart --log-mb ,",
                "steps --variants ,",
                "steps --warehouses ,",
                "autosteps --width ,"
            })
    void aListWithNothingBetweenItsCommasIsAWrongCall(String words) {
        String[] arguments = words.split(" ", -1);
        assertEquals(2, execute(arguments), () -> words + " " + err);
        assertTrue(
                err.toString().startsWith("lockstep: " + arguments[1] + " " + arguments[2] + " lacks a value"),
                err::toString);
        assertEquals("", out.toString());
    }

    /** Of an empty text Java makes the current directory. */
    @Test
    void aPathThatIsEmptyIsAWrongCall() {
        for (List<String> words : List.of(
                List.of("tpcc", "--dir", ""),
                List.of("tpcc", "--out", ""),
                List.of("disk", "--json", ""),
                List.of("prove", "kill", "--dir="),
                List.of("recover", ".", "--to", ""),
                List.of("verify", ""))) {
            assertEquals(2, execute(words.toArray(String[]::new)), () -> words + " " + err);
            assertTrue(err.toString().contains(" is empty: name a file or directory"), err::toString);
            err.getBuffer().setLength(0);
        }
        assertEquals("", out.toString());
    }

    /** It may be listed, and so passes for something that can be read. */
    @Test
    void aDirectoryInPlaceOfAnInputIsAWrongCall(@TempDir Path directory) {
        String name = directory.toString();
        for (List<String> words : List.of(
                List.of("prove", "fuzz", "--input", name),
                List.of("autosteps", name),
                List.of("codemap", "--read", name))) {
            assertEquals(2, execute(words.toArray(String[]::new)), () -> words + " " + err);
            assertTrue(err.toString().contains("cannot be read"), err::toString);
            err.getBuffer().setLength(0);
        }
        assertEquals("", out.toString());
    }

    @Test
    void whatIsNoRegularExpressionIsAWrongCall() {
        assertEquals(2, execute("jmh", "["));
        assertTrue(err.toString().contains("'[' is no regular expression: "), err::toString);
        assertEquals(2, execute("jmh", "--", "-e", "["));
        assertEquals("", out.toString());
    }

    /** Known before the children start, and before there is a directory that a failed one keeps. */
    @Test
    void whatIsNoOptionOfAJvmIsAWrongCall() {
        for (String name : List.of("tpcc", "steps", "codemap")) {
            assertEquals(2, execute(name, "--jvm-option", "foo"), err::toString);
            assertTrue(err.toString().contains("'foo' is no option of a JVM"), err::toString);
            err.getBuffer().setLength(0);
        }
        assertEquals("", out.toString());
    }

    @Test
    void whatIsOutOfRangeIsToldTheRange(@TempDir Path directory) throws IOException {
        String file = Files.createFile(directory.resolve("file")).toString();
        for (List<String> told : List.of(
                List.of("more than 0 and up to a week", "tpcc", "--duration", "0"),
                List.of("more than 0 and up to an hour", "disk", "--seconds", "0"),
                List.of("more than 0 and up to an hour", "indexfetch", "--seconds", "0"),
                List.of("more than 0 and up to a day", "steps", "--duration", "0"),
                List.of("'0' is out of range: a size is 1 to ", "tpcc", "--pool", "0"),
                List.of("'0' is out of range: a size is 1 to ", "simulate", "--l1i", "0,8,64", "--", "java"),
                List.of("--dir " + file + " is a file", "tpcc", "--dir", file),
                List.of("--dir " + file + " is a file", "disk", "--dir", file),
                List.of("--dir " + file + " is a file", "prove", "kill", "--dir", file))) {
            List<String> words = told.subList(1, told.size());
            assertEquals(2, execute(words.toArray(String[]::new)), () -> words + " " + err);
            assertTrue(err.toString().contains(told.getFirst()), err::toString);
            err.getBuffer().setLength(0);
        }
        assertEquals("", out.toString());
    }

    /** Known before the simulation, which takes minutes. */
    @Test
    void aTraceWithoutMarksIsAWrongCall(@TempDir Path directory) {
        String file = directory.resolve("trace.txt").toString();
        assertEquals(
                2, execute("simulate", "--l1i", "32K,8,64", "--trace", file, "--", "tpcc", "--engine", "lockstep"));
        assertTrue(err.toString().contains("--trace of a command of ./lockstep needs --operations"), err::toString);
    }

    /** And no stack trace; other exceptions keep theirs. */
    @Test
    void anInputOrOutputThatFailsIsOneSentence() throws Exception {
        CommandLine called = Main.commandLine().getSubcommands().get("verify");
        called.setErr(new PrintWriter(err, true));
        assertEquals(1, Main.failed(new NoSuchFileException("/a"), called, null));
        assertEquals(1, Main.failed(new UncheckedIOException("no b file=/b", new IOException("full")), called, null));
        String remedy = "; see that what is named is there and may be used, and that its disk has room.";
        assertEquals(
                List.of(
                        "lockstep: Input or output failed: command=verify cause=java.nio.file.NoSuchFileException: /a"
                                + remedy,
                        "lockstep: Input or output failed: command=verify cause=no b file=/b: java.io.IOException:"
                                + " full" + remedy),
                err.toString().lines().toList());
        assertThrows(
                IllegalStateException.class, () -> Main.failed(new IllegalStateException("a fault"), called, null));
    }

    /** The message of the engine says all that a user can make use of. */
    @Test
    void whatTheEngineRefusesIsOneSentence() throws Exception {
        CommandLine called = Main.commandLine().getSubcommands().get("verify");
        called.setErr(new PrintWriter(err, true));
        assertEquals(1, Main.failed(new StorageException("Cannot read: file=a"), called, null));
        assertEquals(
                List.of("lockstep: Cannot read: file=a [code=101]"),
                err.toString().lines().toList());
        assertThrows(WrongThreadException.class, () -> Main.failed(new WrongThreadException("a fault"), called, null));
    }

    @Test
    void aWrongCallEndsWithTwo() {
        assertEquals(2, execute("--no-such-option"));
        assertEquals(2, execute("no-such-command"));
        assertEquals(2, execute());
        assertTrue(err.toString().contains("No command is named."), err.toString());
        assertEquals("", out.toString());
    }
}
