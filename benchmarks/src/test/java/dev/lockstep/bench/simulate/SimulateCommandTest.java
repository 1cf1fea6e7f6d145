package dev.lockstep.bench.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.bench.Needed;
import dev.lockstep.bench.process.NativeProcess;
import dev.lockstep.bench.process.NodesFile;
import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.counters.Markers;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SimulateCommandTest {
    private static final String TRUE = "/bin/true";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    private int execute(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    /** Ends the test where no program can be simulated. */
    private static void requireSimulator() {
        Needed.requireSimulator();
        if (!Files.isExecutable(Path.of(TRUE))) {
            throw Needed.missing(TRUE + " is not there");
        }
    }

    @Test
    void helpSaysWhatCannotBeObserved() {
        assertEquals(0, execute("simulate", "--help"));
        String help = out.toString();
        for (String what : List.of("code of the kernel", "I/O", "physical addresses", "speculation", "prefetching")) {
            assertTrue(help.contains(what), what);
        }
    }

    /** Those of the simulator's own, which machines have that state none. */
    @Test
    void helpSaysTheLatencies() throws IOException {
        assertEquals(0, execute("simulate", "--help"));
        String help = out.toString().replaceAll("\\s+", " ");
        String defaults = Files.readString(Path.of("..", "native", "src", "main", "c", "simulator", "machine.c"));
        for (String latency : List.of(
                "%l2_cycles to L2",
                "%llc_cycles to the last level",
                "%memory_cycles to memory",
                "(%memory_remote_cycles to another node's)",
                "%transfer_cycles to what another core of the node has modified",
                "(%transfer_remote_cycles on another node)",
                "%upgrade_cycles to become the only owner",
                "%stlb_cycles to the second level of TLB")) {
            String expected = Pattern.compile("%(\\w+)")
                    .matcher(latency)
                    .replaceFirst(named -> number(defaults, "machine->latency_" + named.group(1) + " = "));
            assertTrue(help.contains(expected), () -> expected + " is not in " + help);
        }
    }

    /** What stands behind a text that is there once. */
    private static String number(String text, String before) {
        Matcher number = Pattern.compile(Pattern.quote(before) + "(\\d+);").matcher(text);
        assertTrue(number.find(), before);
        return number.group(1);
    }

    @Test
    void wrongGeometryIsAWrongCall() {
        assertEquals(2, execute("simulate", "--l1i", "32K,7,64", "--", TRUE));
        assertTrue(err.toString().startsWith("lockstep: --l1i '32K,7,64': a cache of 32768 bytes"), err.toString());
    }

    @Test
    void resultThatCannotBeWrittenIsAWrongCall() {
        String file = directory.resolve("missing").resolve("result.json").toString();
        assertEquals(2, execute("simulate", "--l1i", "32K,8,64", "--json", file, "--", TRUE));
        assertTrue(err.toString().contains("--json"), err.toString());
    }

    @Test
    void pointsThatCannotBeReadOrCheckedAreAWrongCall() throws IOException {
        Path points = directory.resolve("points.txt");
        assertEquals(2, execute("simulate", "--switch-points", points.toString(), "--", TRUE));
        assertTrue(err.toString().contains("--switch-points cannot be read: file=" + points), err.toString());
        Files.writeString(points, "lockstep-switch-points 1\n");
        assertEquals(2, execute("simulate", "--switch-points", points.toString(), "--", TRUE));
        assertTrue(err.toString().contains("switch points are cut short"), err.toString());
        assertEquals(2, execute("simulate", "--check-points", points.toString(), "--", TRUE));
        assertTrue(err.toString().contains("--check-points needs --switch-points."), err.toString());
    }

    @Test
    void controlOfWhatIsNoJavaProgramIsAWrongCall() {
        String code = directory.resolve("code.txt").toString();
        assertEquals(2, execute("simulate", "--control", "--code", code, "--", TRUE));
        assertTrue(err.toString().contains("--control needs --code"), err.toString());
        assertEquals(2, execute("simulate", "--control", "--", "java", "-version"));
        assertEquals(2, err.toString().split("--control needs --code", -1).length - 1, err.toString());
    }

    @Test
    void aCommandThatKnowsItsPhasesIsNotToldOfThem() {
        assertEquals(2, execute("simulate", "--phases-only", "--", "tpcc"));
        assertEquals(2, execute("simulate", "--phases-only", "--whole-run", "--", TRUE));
        assertEquals(2, err.toString().split("--phases-only is for programs", -1).length - 1, err.toString());
    }

    @Test
    void missingQemuIsToldWithThePackage() throws Exception {
        Path empty = Files.createDirectory(directory.resolve("empty"));
        CommandProcess child = CommandProcess.run(directory, empty, "simulate", "--l1i", "32K,8,64", "--", TRUE);
        assertEquals(2, child.exitCode(), child.output());
        assertTrue(child.output().contains("apt-get install qemu-user"), child.output());
        assertEquals(1, child.output().lines().count(), child.output());
    }

    /** The others that simulate; a compiler is there, without which one of them would stop before. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "codemap --workload operations",
                "indexfetch --measure misses --members 1 --kinds original --rows 1000",
                "steps --simulate --warehouses 1 --mixes payment",
                "simulate-validate hand",
                "autosteps loop -- indexfetch --kinds original --members 1 --rows 1000"
            })
    void missingQemuIsToldByEveryCommandThatSimulates(String words) throws Exception {
        Path bin = Files.createDirectory(directory.resolve("bin"));
        assertTrue(Files.createFile(bin.resolve("cc")).toFile().setExecutable(true));
        CommandProcess child = CommandProcess.run(directory, bin, words.split(" "));
        assertEquals(2, child.exitCode(), child.output());
        assertEquals(
                1,
                child.output()
                        .lines()
                        .filter(line -> line.startsWith("lockstep: " + Simulator.missing()))
                        .count(),
                child.output());
        assertFalse(child.output().contains("\tat "), child.output());
    }

    @Test
    void pluginThatDoesNotLoadIsTold() throws Exception {
        Path bin = Files.createDirectory(directory.resolve("bin"));
        Path qemu = Files.writeString(
                bin.resolve(Simulator.QEMU), "#!/bin/sh\necho 'qemu: Could not load plugin: no such thing'\nexit 1\n");
        assertTrue(qemu.toFile().setExecutable(true));
        CommandProcess child = CommandProcess.run(directory, bin, "simulate", "--l1i", "32K,8,64", "--", TRUE);
        assertEquals(2, child.exitCode(), child.output());
        assertTrue(
                child.output().contains("The simulator's plugin does not load: qemu: Could not load plugin")
                        || child.output().contains("library=lockstep_simulator"),
                child.output());
        assertEquals(1, child.output().lines().count(), child.output());
    }

    @Test
    void qemuThatCannotBeStartedIsTold() throws Exception {
        Path bin = Files.createDirectory(directory.resolve("bin"));
        Path qemu = Files.writeString(bin.resolve(Simulator.QEMU), "#!" + directory.resolve("missing") + "\n");
        assertTrue(qemu.toFile().setExecutable(true));
        CommandProcess child = CommandProcess.run(directory, bin, "simulate", "--l1i", "32K,8,64", "--", TRUE);
        assertEquals(2, child.exitCode(), child.output());
        assertTrue(
                child.output().startsWith("lockstep: QEMU cannot be started: ")
                        || child.output().contains("library=lockstep_simulator"),
                child.output());
        assertEquals(1, child.output().lines().count(), child.output());
    }

    @Test
    void unknownCommandIsTold() {
        requireSimulator();
        assertEquals(2, execute("simulate", "--l1i", "32K,8,64", "--", "no-such-command"));
        assertTrue(err.toString().startsWith("lockstep: There is no such command: no-such-command"), err.toString());
    }

    @Test
    void commandThatFailsIsToldWithItsExitCode() {
        requireSimulator();
        assertEquals(2, execute("simulate", "--l1i", "32K,8,64", "--", "/bin/false"));
        assertEquals("lockstep: The command failed: exitCode=1 command=/bin/false\n", err.toString());
    }

    @Test
    void machineThatTheSimulatorRefusesIsTold() {
        requireSimulator();
        assertEquals(2, execute("simulate", "--l1i", "32K,8,64", "--set", "nonsense=1", "--", TRUE));
        assertEquals(
                "lockstep: The machine cannot be simulated: nonsense=1 is unknown: see machine.h for the keys there"
                        + " are\n",
                err.toString());
    }

    @Test
    void tablesOfThePredictorThatCannotBeAreAWrongCall() {
        for (String branches : List.of("3:4:5:6", "16384:2:1024:16", "16384:4096:1024:0", "33554432:4096:1024:16")) {
            assertEquals(2, execute("simulate", "--branches=" + branches, "--", TRUE));
            assertTrue(err.toString().contains("lockstep: --branches '" + branches + "': "), err.toString());
        }
    }

    @Test
    void negativeSeedIsAWrongCall() {
        assertEquals(2, execute("simulate", "--seed", "-1", "--", TRUE));
        assertTrue(err.toString().startsWith("lockstep: --seed is 0 or more"), err.toString());
    }

    /** A buffer of 32 MB has 524,288 lines; 8 MB hold what is known of some ten thousand. */
    @Test
    void modelWithoutMemoryIsToldInOneSentence() {
        requireSimulator();
        assertEquals(
                2,
                execute(
                        "simulate",
                        "--l1i",
                        "32K,8,64",
                        "--l1d",
                        "32K,8,64",
                        "--l2",
                        "256K,8,64",
                        "--set",
                        "classes=merged",
                        "--set",
                        "memory=8M",
                        "--",
                        "dd",
                        "if=/dev/zero",
                        "of=/dev/null",
                        "bs=32M",
                        "count=1",
                        "status=none"));
        assertEquals(
                "lockstep: The model ran out of memory for what it knows of lines and pages: memoryBytes=8388608; give"
                        + " it more (--set memory=16M), a shorter run, or a machine that does not class its misses"
                        + " (--set classes=no).\n",
                err.toString());
    }

    /** Not only its children: a command that starts none would be simulated nowhere. */
    @Test
    void commandWithoutChildrenIsSimulatedWhole() throws IOException {
        requireSimulator();
        Path json = directory.resolve("result.json");
        assertEquals(
                0,
                execute("simulate", "--l1i", "32K,8,64", "--json", json.toString(), "--", "counters", "--help"),
                err.toString());
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertTrue(report.at("/processes/0/command").asText().endsWith("counters --help"), report::toString);
        assertTrue(report.at("/processes/0/result/phases/0/total/instructions").asLong() > 10_000_000);
        String notObservable = report.get("notObservable").toString();
        assertTrue(notObservable.contains("steady state"), notObservable);
        assertTrue(notObservable.contains("went by the simulated processors' cycles, 3 a nanosecond"), notObservable);
    }

    /** Such as one that reads what another run has left, or starts a simulation of its own. */
    @Test
    void commandThatSimulatesIsSimulatedToo() throws IOException {
        requireSimulator();
        Path json = directory.resolve("result.json");
        Path inner = directory.resolve("inner.json");
        assertEquals(
                0,
                execute(
                        "simulate",
                        "--l1i",
                        "32K,8,64",
                        "--json",
                        json.toString(),
                        "--",
                        "simulate",
                        "--l1i",
                        "16K,4,64",
                        "--json",
                        inner.toString(),
                        "--",
                        "/bin/true"),
                err.toString());
        JsonNode outside = new ObjectMapper().readTree(json.toFile());
        JsonNode inside = new ObjectMapper().readTree(inner.toFile());
        assertTrue(outside.at("/processes/0/result/phases/0/total/instructions").asLong() > 10_000_000);
        long instructions =
                inside.at("/processes/0/result/phases/0/total/instructions").asLong();
        assertTrue(instructions > 1_000 && instructions < 10_000_000, () -> "instructions=" + instructions);
    }

    /** It would ask the kernel to mark phases, and go by a clock that nobody moves. */
    @Test
    void processOfASimulatedOneDoesNotBelieveThatItIsSimulated() throws Exception {
        ProcessBuilder simulated = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Environments.class.getName());
        simulated.environment().putAll(Map.of(Markers.ENVIRONMENT, "1", NodesFile.ENVIRONMENT, "nodes.txt"));
        Process process = simulated.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals("[] true", said.strip());
        assertEquals(0, process.waitFor());
    }

    /** Says which variables of a simulated process one that it starts would get, and whether it has them itself. */
    static final class Environments {
        private Environments() {}

        public static void main(String[] arguments) {
            List<String> names = List.of(Markers.ENVIRONMENT, NodesFile.ENVIRONMENT);
            Set<String> inherited = new TreeSet<>(
                    NativeProcess.builder(List.of("true")).environment().keySet());
            inherited.retainAll(names);
            System.out.println(inherited + " " + System.getenv().keySet().containsAll(names));
        }
    }

    @Test
    void childrenThatAreNotSimulatedAreTold() {
        for (String name :
                List.of("restart", "prove", "codemap", "steps", "autosteps", "simulate", "simulate-validate")) {
            Object starts = Main.commandLine()
                    .getSubcommands()
                    .get(name)
                    .getCommandSpec()
                    .userObject();
            SimulatedAs as =
                    assertInstanceOf(SimulatedAs.Told.class, starts, name).simulatedAs();
            List<String> told = SimulationReport.notObservable(true, as);
            assertTrue(told.getLast().startsWith("what child JVMs did: "), told::toString);
            assertTrue(told.containsAll(SimulationReport.notObservable(true, null)), told::toString);
        }
        assertEquals(SimulationReport.NOT_OBSERVABLE, SimulationReport.notObservable(true, SimulatedAs.CHILDREN));
        assertEquals(0, execute("simulate", "--help"));
        String help = out.toString().replaceAll("\\s+", " ");
        assertTrue(help.contains("but for those of restart and prove, which run on the real processor"), help);
    }

    /** What the kernel reads and writes for a program, which touches none of it: from zeros to nowhere. */
    @Test
    void buffersOfSystemCallsAreTouchedUnlessTheyAreLeftAlone() throws IOException {
        requireSimulator();
        long lines = 2 * (4L << 20) / 64;
        long touched = dataMisses() - dataMisses("--no-buffers");
        assertTrue(touched > 0.99 * lines && touched < 1.01 * lines, "touched=" + touched + " lines=" + lines);
    }

    /** First-level misses of a program that reads and writes 4 MiB each, in pieces of 1 MiB. */
    private long dataMisses(String... options) throws IOException {
        Path json = directory.resolve("buffers.json");
        List<String> arguments = new ArrayList<>(List.of("simulate", "--l1d", "48K,12,64", "--json", json.toString()));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("--", "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=4", "status=none"));
        assertEquals(0, execute(arguments.toArray(String[]::new)), err.toString());
        return new ObjectMapper()
                .readTree(json.toFile())
                .at("/processes/0/result/phases/0/total/levels/l1d/misses")
                .asLong();
    }

    @Test
    void programIsSimulatedAndItsCountsAreWritten() throws IOException {
        requireSimulator();
        Path json = directory.resolve("result.json");
        assertEquals(
                0,
                execute(
                        "simulate",
                        "--l1i",
                        "32K,8,64",
                        "--l1i",
                        "1K,direct,64",
                        "--l1d",
                        "48K,12,64",
                        "--branches",
                        "--json",
                        json.toString(),
                        "--",
                        TRUE),
                err.toString());
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        JsonNode total = report.at("/processes/0/result/phases/0/total");
        long misses = total.at("/levels/l1i/misses").asLong();
        assertTrue(total.get("instructions").asLong() > 1_000);
        assertTrue(total.get("loads").asLong() > 100);
        assertTrue(misses > 10);
        assertTrue(total.at("/observerMisses/0").asLong() > misses);
        JsonNode branches = report.at("/processes/0/result/phases/0/branches");
        assertTrue(branches.get("conditional").asLong()
                > branches.get("conditionalWrong").asLong());
        assertTrue(branches.get("returns").asLong() > 0);
        assertTrue(
                report.get("notObservable").toString().contains("programs other than ./lockstep go by the machine's"),
                report::toString);
        assertTrue(out.toString().contains("million instructions a second"), out.toString());
        assertTrue(out.toString().contains("l1i (watches)"), out.toString());
    }

    @Test
    void coresWithDataCachesAloneAreCoherentAndInStep() throws IOException {
        requireSimulator();
        Path json = directory.resolve("result.json");
        assertEquals(
                0,
                execute(
                        "simulate",
                        "--cores",
                        "2",
                        "--l1i",
                        "32K,8,64",
                        "--l1d",
                        "32K,8,64",
                        "--json",
                        json.toString(),
                        "--",
                        TRUE),
                err.toString());
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        List<String> machine = new ArrayList<>();
        report.get("simulated").forEach(line -> machine.add(line.asText()));
        assertTrue(machine.contains("coherence=mesi"), machine::toString);
        JsonNode result = report.at("/processes/0/result");
        assertEquals(200, result.at("/step/quantumInstructions").asInt(), result::toString);
    }

    /** What has no agent has no names, but every miss of the plugin's sums has a place, and every cycle a reason. */
    @Test
    void missesHavePlacesAndCyclesReasons() throws IOException {
        requireSimulator();
        for (List<String> machine : List.of(
                List.of("--l1i", "1K,2,64", "--l1d", "1K,2,64"),
                List.of("--l1i", "1K,2,64", "--l1d", "1K,2,64", "--l2", "8K,4,64", "--llc", "32K,8,64"),
                List.of("--l1i", "1K,2,64"))) {
            Path json = directory.resolve("result.json");
            Path code = directory.resolve("code.txt");
            List<String> arguments = new ArrayList<>(List.of("simulate"));
            arguments.addAll(machine);
            arguments.addAll(List.of("--code", code.toString(), "--json", json.toString(), "--", TRUE));
            assertEquals(0, execute(arguments.toArray(String[]::new)), err.toString());
            JsonNode total = new ObjectMapper().readTree(json.toFile()).at("/processes/0/result/phases/0/total");
            long[] sums = new long[4];
            for (String line : Files.readAllLines(code)) {
                String[] words = line.split(" ", -1);
                for (int level = 0; words[0].equals("m") && level < sums.length; level++) {
                    sums[level] += Long.parseLong(words[3 + level]);
                }
            }
            List<String> levels = List.of("l1i", "l1d", "l2", "llc");
            for (int level = 0; level < sums.length; level++) {
                assertEquals(
                        total.at("/levels/" + levels.get(level) + "/misses").asLong(), sums[level], machine::toString);
            }
            long cycles = total.get("instructions").asLong();
            for (JsonNode stall : total.get("stalls")) {
                cycles += stall.asLong();
            }
            assertEquals(cycles, total.get("cycles").asLong(), machine::toString);
        }
    }

    /** A JVM brings its agent, so that its code has names; hardly any miss is left without one. */
    @Test
    void theCodeOfAJvmThatMissesIsNamed() throws IOException {
        requireSimulator();
        Needed.require(NativePart.AGENT);
        Path json = directory.resolve("result.json");
        assertEquals(
                0,
                execute(
                        "simulate",
                        "--l1i",
                        "4K,4,64",
                        "--code",
                        directory.resolve("code.txt").toString(),
                        "--json",
                        json.toString(),
                        "--",
                        "java",
                        "-Xshare:auto",
                        "-XX:TieredStopAtLevel=1",
                        "-version"),
                err.toString());
        JsonNode process = new ObjectMapper().readTree(json.toFile()).at("/processes/0");
        long misses = process.at("/code/totals/l1i").asLong();
        assertEquals(process.at("/result/phases/0/total/levels/l1i/misses").asLong(), misses);
        assertTrue(
                process.at("/code/unresolved/l1i").asLong() <= MissedCode.UNRESOLVED_SHARE_MAX * misses, out::toString);
        assertTrue(out.toString().contains("libjvm.so (JVM, C++)"), out::toString);
        assertTrue(out.toString().contains("(Java, interpreted)"), out::toString);
    }

    @ParameterizedTest
    @EnumSource(MachinePreset.class)
    void presetsCanBeSimulated(MachinePreset preset) {
        requireSimulator();
        String name = Spelling.of(preset);
        assertEquals(0, execute("simulate", "--machine", name, "--", TRUE), err.toString());
        assertTrue(out.toString().contains(preset.source()), out.toString());
    }
}
